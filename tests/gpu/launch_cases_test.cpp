// Walks tests/cases/launch: kernels in CUDA C++ or PTX with what they must leave in memory beside them; README.md there explains
// the directives. Each runs under both schedules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

struct Expected {
  std::size_t argument = 0;
  std::string values;
};
struct LaunchedFile {
  std::string text, kernel, status = "ok", message, output;
  Dim3 grid, block;
  bool cooperative = false;
  std::vector<std::pair<Array, std::string>> arguments;  // shape empty: a scalar
  std::vector<Expected> expected;
};

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

LaunchedFile read_launched_file(const fs::path& file) {
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

class LaunchCases : public testing::TestWithParam<std::string> {};

TEST_P(LaunchCases, LeaveWhatTheFileExpects) {
  const fs::path file = fs::path(WARPBOOK_ROOT) / "tests/cases/launch" / GetParam();
  const LaunchedFile read = read_launched_file(file);
  auto device = make_virtual_device(compiler());
  ASSERT_TRUE(device);
  const bool is_ptx = file.extension() == ".ptx";
  auto program = is_ptx ? compiler().adopt_ptx(GetParam(), read.text)
                        : (*device)->compile({.file = GetParam(), .text = read.text, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().message << '\n' << program.error().log;
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    SCOPED_TRACE(schedule == Schedule::fast ? "fast" : "clock");
    LaunchRequest request;
    request.program = *program;
    request.kernel = read.kernel;
    request.grid = read.grid;
    request.block = read.block;
    request.schedule = schedule;
    request.cooperative = read.cooperative;
    const bool endless = read.status == "cudaErrorLaunchTimeout";
    request.limits.max_seconds = endless ? 0.5 : 60;
    for (const auto& [array, content] : read.arguments) {
      if (array.shape.empty()) {
        request.arguments.emplace_back(Scalar{array.type, bits_of(array.type, content)});
        continue;
      }
      auto buffer = (*device)->allocate(array);
      ASSERT_TRUE(buffer);
      ASSERT_TRUE((*device)->write(*buffer, bytes_of(array, content)));
      request.arguments.emplace_back(*buffer);
    }
    const LaunchReport report = (*device)->launch(request);
    EXPECT_EQ(report.status, read.status) << report.message;
    // What escapes its limit goes on for minutes; a busy host is only late.
    EXPECT_LT(report.run_ms, endless ? 60'000 : 100'000);
    EXPECT_NE(report.message.find(read.message), std::string::npos) << report.message;
    EXPECT_EQ(report.output, read.output);
    for (const Expected& expected : read.expected) {
      const auto& buffer = std::get<Buffer>(request.arguments[expected.argument]);
      const std::vector<std::byte> wanted = bytes_of(buffer.array, expected.values);
      std::vector<std::byte> left(wanted.size());
      ASSERT_TRUE((*device)->read(buffer, left));
      const std::size_t size = size_of(buffer.array.type);
      for (std::size_t i = 0; i < buffer.array.count(); ++i)
        ASSERT_EQ(std::memcmp(&left[i * size], &wanted[i * size], size), 0)
            << fmt::format("argument {}, element {}: ", expected.argument, i)
            << testing::PrintToString(std::vector<std::byte>(left.begin() + static_cast<std::ptrdiff_t>(i * size),
                                                             left.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)));
    }
    for (const Argument& argument : request.arguments)
      if (const auto* buffer = std::get_if<Buffer>(&argument)) (*device)->release(*buffer);
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "tests/cases/launch"))
    if (entry.path().extension() != ".md") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, LaunchCases, testing::ValuesIn(case_names()), [](const auto& of) {
  std::string name = of.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace warpbook::gpu
