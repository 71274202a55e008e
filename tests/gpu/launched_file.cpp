#include "tests/gpu/launched_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace warpbook::gpu::test {
namespace {

Dim3 dim3_of(const std::string& text) {
  Dim3 shape;
  std::sscanf(text.c_str(), "%u,%u,%u", &shape.x, &shape.y, &shape.z);
  return shape;
}

void read_launch(LaunchedFile& read, const std::string& words) {
  std::istringstream stream(words);
  stream >> read.kernel;
  for (std::string option, value; stream >> option;) {
    if (option == "--cooperative") {
      read.cooperative = true;
      continue;
    }
    stream >> value;
    if (option == "--grid") read.grid = dim3_of(value);
    if (option == "--block") read.block = dim3_of(value);
    if (option != "--arg") continue;
    Array array;
    const std::size_t equals = value.find('='), bracket = value.find('[');
    array.type = *scalar_type(value.substr(0, std::min(equals, bracket)));
    if (bracket < equals) array.shape = {std::stoull(value.substr(bracket + 1))};
    read.arguments.emplace_back(array, value.substr(equals + 1));
  }
}

/// One element as bits, from a number as it is written: 7, -1, 0x80000000 (bits), 1.5.
std::uint64_t bits_of(ScalarType type, const std::string& word) {
  const bool hexadecimal = word.starts_with("0x");
  if (type == ScalarType::float32 && !hexadecimal) return Scalar::of(std::strtof(word.c_str(), nullptr)).bits;
  if (type == ScalarType::float64 && !hexadecimal) return Scalar::of(std::strtod(word.c_str(), nullptr)).bits;
  return word[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(word.c_str(), nullptr, 0))
                        : std::strtoull(word.c_str(), nullptr, 0);
}

/// "1 2 3", "7 …" (the last one again until the end), "iota".
std::vector<std::byte> bytes_of(const Array& array, const std::string& content) {
  std::vector<std::byte> bytes(array.bytes());
  const std::size_t size = size_of(array.type);
  std::string separated = content;
  std::replace(separated.begin(), separated.end(), ',', ' ');
  std::istringstream words(separated);
  std::string word, last = "0";
  for (std::size_t i = 0; i < array.count(); ++i) {
    if (content == "iota")
      last = std::to_string(i);
    else if (words >> word && word != "…")
      last = word;
    const std::uint64_t bits = bits_of(array.type, last);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

/// The arguments, with arrays allocated and written; fewer where that failed.
std::vector<Argument> arguments_of(Device& device, const LaunchedFile& read, std::vector<std::string>& wrong) {
  std::vector<Argument> arguments;
  for (const auto& [array, content] : read.arguments) {
    if (array.shape.empty()) {
      arguments.emplace_back(Scalar{array.type, bits_of(array.type, content)});
      continue;
    }
    auto buffer = device.allocate(array);
    if (buffer) arguments.emplace_back(*buffer);
    if (!buffer || !device.write(*buffer, bytes_of(array, content))) wrong.emplace_back("An array could not be had.");
  }
  return arguments;
}

void compare(Device& device, const Buffer& buffer, const Expected& expected, std::vector<std::string>& wrong) {
  const std::vector<std::byte> wanted = bytes_of(buffer.array, expected.values);
  std::vector<std::byte> left(wanted.size());
  if (auto done = device.read(buffer, left); !done) return wrong.push_back(done.error().message);
  const std::size_t size = size_of(buffer.array.type);
  for (std::size_t i = 0; i < buffer.array.count(); ++i) {
    std::uint64_t got = 0, want = 0;
    std::memcpy(&got, &left[i * size], size);
    std::memcpy(&want, &wanted[i * size], size);
    if (got == want) continue;
    return wrong.push_back(fmt::format("argument {}, element {} has the bits {:#x}, not {:#x}", expected.argument, i, got, want));
  }
}

}  // namespace

LaunchedFile read_launched_file(const std::filesystem::path& file) {
  LaunchedFile read;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    read.text += line + '\n';
    const auto after = [&](const std::string& mark) -> std::optional<std::string> {
      const std::size_t at = line.find(mark);
      return at == line.npos ? std::nullopt : std::optional(line.substr(at + mark.size()));
    };
    if (const auto words = after("// launch: ")) read_launch(read, *words);
    if (const auto words = after("// status: ")) read.status = *words;
    if (const auto words = after("// says: ")) read.message = *words;
    if (const auto words = after("// prints: ")) read.output += *words + '\n';
    if (const auto words = after("// expect: arg ")) {
      const std::size_t equals = words->find(" = ");
      read.expected.push_back({std::stoull(*words), words->substr(equals + 3)});
    }
  }
  return read;
}

std::vector<std::string> run_launched_file(Device& device, const ProgramPtr& program, const LaunchedFile& read, Schedule schedule) {
  std::vector<std::string> wrong;
  LaunchRequest request;
  request.program = program;
  request.kernel = read.kernel;
  request.grid = read.grid;
  request.block = read.block;
  request.schedule = schedule;
  request.cooperative = read.cooperative;
  const bool endless = read.status == "cudaErrorLaunchTimeout";
  request.limits.max_seconds = endless ? 0.5 : 60;
  request.arguments = arguments_of(device, read, wrong);
  if (!wrong.empty()) return wrong;
  const LaunchReport report = device.launch(request);
  if (report.status != read.status) wrong.push_back(fmt::format("{}, not {}: {}", report.status, read.status, say(report.message)));
  // What escapes its limit goes on for minutes; a busy host is only late.
  if (report.run_ms > (endless ? 60'000 : 100'000)) wrong.push_back(fmt::format("it took {:.0f} ms", report.run_ms));
  if (say(report.message).find(read.message) == std::string::npos) wrong.push_back("the message is: " + say(report.message));
  if (report.output != read.output) wrong.push_back("it printed: " + report.output);
  for (const Expected& expected : read.expected)
    compare(device, std::get<Buffer>(request.arguments[expected.argument]), expected, wrong);
  for (const Argument& argument : request.arguments)
    if (const auto* buffer = std::get_if<Buffer>(&argument)) device.release(*buffer);
  return wrong;
}

}  // namespace warpbook::gpu::test
