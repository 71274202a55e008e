#include "gpu/program/run_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "gpu/input_file.h"
#include "gpu/program/finding_json.h"

namespace warpbook::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t most_record_bytes = std::uintmax_t{2} << 30;  // no record is larger

/// FNV-1a over words: finds damage, and is no protection against intent.
std::uint64_t check_sum(std::uint64_t sum, const char* bytes, std::size_t count) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t word = 0;
  for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    sum = (sum ^ word) * prime;
    sum ^= sum >> 32;
  }
  for (; count > 0; ++bytes, --count) sum = (sum ^ static_cast<unsigned char>(*bytes)) * prime;
  return sum ^ (sum >> 29);
}

struct PieceHead {
  std::uint64_t json_bytes = 0, data_bytes = 0, check = 0;
};

std::uint64_t check_of(std::string_view json, const char* data, std::size_t data_bytes) {
  return check_sum(check_sum(0xcbf29ce484222325, json.data(), json.size()), data, data_bytes);
}

std::vector<std::byte> bytes_of(std::string_view hexadecimal) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 2 <= hexadecimal.size(); at += 2) {
    unsigned value = 0;
    std::from_chars(hexadecimal.data() + at, hexadecimal.data() + at + 2, value, 16);
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

/// Of what process of the program the pieces are that follow: its numbers of modules, blocks and launches begin here.
struct Origin {
  std::size_t modules = 0, blocks = 1, launches = 0;
};

RecordedMemory memory_of(const Json& json, const Origin& origin) {
  RecordedMemory memory;
  memory.name = json.value("name", "");
  memory.address = json.value("address", std::uint64_t{0});
  memory.bytes = json.value("bytes", std::uint64_t{0});
  memory.variable = json.value("variable", false);
  memory.constant = json.value("constant", false);
  memory.written = json.value("written", std::vector<std::pair<std::uint64_t, std::uint64_t>>());
  for (const std::uint32_t block : json.value("blocks", std::vector<std::uint32_t>()))
    memory.blocks.push_back(block == 0 ? 0 : block - 1 + static_cast<std::uint32_t>(origin.blocks));
  return memory;
}

RecordedLaunch launch_of(const Json& json, const Origin& origin) {
  RecordedLaunch launch;
  launch.kernel = json.value("kernel", "");
  launch.entry = json.value("entry", "");
  launch.module = json.value("module", std::size_t{0}) + origin.modules;
  launch.grid = dim3_of(json.value("grid", Json()));
  launch.block = dim3_of(json.value("block", Json()));
  launch.shared_bytes = json.value("shared", 0u);
  launch.stream = json.value("stream", 0u);
  launch.begin = launch.end = json.value("begin", 0.0);
  launch.cooperative = json.value("cooperative", false);
  for (const std::string& argument : json.value("arguments", std::vector<std::string>()))
    launch.arguments.push_back(bytes_of(argument));
  for (const Json& each : json.value("memory", Json::array())) launch.memory.push_back(memory_of(each, origin));
  launch.left_out = json.value("left_out", "");
  std::uint64_t reached = 0;
  for (const RecordedMemory& memory : launch.memory) reached += std::min<std::uint64_t>(memory.bytes, most_launch_memory + 1);
  if (reached > most_launch_memory)
    launch.left_out = "The record is damaged: it gives this launch more memory than a record can hold.";
  launch.remark = json.value("remark", "");
  return launch;
}

void add_end(RecordedLaunch& launch, const Json& json) {
  launch.ended = true;
  launch.end = json.value("end", launch.begin);
  launch.status = json.value("status", "ok");
  launch.message = json.value("message", "");
  launch.run_ms = json.value("run_ms", 0.0);
  if (json.contains("model_us")) launch.model_us = json["model_us"].get<double>();
  launch.thread_instructions = json.value("thread_instructions", std::uint64_t{0});
  for (const Json& finding : json.value("findings", Json::array())) launch.findings.push_back(finding_of(finding));
}

RecordedCall call_of(const Json& json, const Origin& origin) {
  RecordedCall call;
  call.name = json.value("name", "");
  call.thread = json.value("thread", 0u);
  call.stream = json.value("stream", 0u);
  call.begin = json.value("begin", 0.0);
  call.end = json.value("end", 0.0);
  call.device_begin = json.value("device_begin", 0.0);
  call.device_end = json.value("device_end", 0.0);
  call.bytes = json.value("bytes", std::uint64_t{0});
  call.direction = json.value("direction", "");
  if (json.contains("launch")) call.launch = json["launch"].get<std::size_t>() + origin.launches;
  call.error = json.value("error", "");
  return call;
}

void take_program(const Json& json, RunRecord& record) {
  record.command = json.value("command", "");
  record.words = json.value("words", std::vector<std::string>());
  record.profile = json.value("profile", "A40");
  record.observe = json.value("observe", "none");
  record.schedule = json.value("schedule", "fast");
  if (json.contains("seed")) record.seed = json["seed"].get<std::uint64_t>();
}

/// Takes a piece in. False: it is the last.
bool take(const Json& json, std::span<const std::byte> data, Origin& origin, RunRecord& record) {
  const std::string kind = json.value("kind", "");
  const auto text = [&] { return std::string(reinterpret_cast<const char*>(data.data()), data.size()); };
  if (kind == "program") {
    take_program(json, record);
  } else if (kind == "process") {
    origin = {record.modules.size(), record.blocks.size(), record.launches.size()};
  } else if (kind == "module") {
    record.modules.push_back(text());
  } else if (kind == "block") {
    record.blocks.push_back(data);
  } else if (kind == "launch") {
    record.launches.push_back(launch_of(json, origin));
  } else if (kind == "launch_end") {
    if (record.launches.size() > origin.launches) add_end(record.launches.back(), json);
  } else if (kind == "call") {
    record.calls.push_back(call_of(json, origin));
  } else if (kind == "remark") {
    record.remarks.push_back(json.value("sentence", ""));
  } else if (kind == "source") {
    record.sources.push_back({json.value("file", ""), text()});
  } else if (kind == "output") {
    record.output = text();
  } else if (kind == "end") {
    record.ended = json.value("ended", "");
    record.report = text();
    return false;
  }
  return true;  // what is not known here was added later, and can be left out
}

/// What lies behind the head; the sentence about what is missing, or empty.
std::string read_pieces(RunRecord& record, std::size_t at) {
  Origin origin;
  const std::string& bytes = record.bytes;
  const std::string until = " What comes before is shown.";
  while (true) {
    if (bytes.size() - at < sizeof(PieceHead))
      return "The record ends early: its program was still running, or the file was cut off." + until;
    PieceHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    at += sizeof head;
    const std::size_t left = bytes.size() - at;
    if (head.json_bytes > left || head.data_bytes > left - head.json_bytes)
      return "The record ends early: its program was still running, or the file was cut off." + until;
    const std::string_view text(bytes.data() + at, head.json_bytes);
    const char* const data = bytes.data() + at + head.json_bytes;
    const std::string damaged = fmt::format("The record is damaged at byte {}.{}", at - sizeof head, until);
    if (check_of(text, data, head.data_bytes) != head.check) return damaged;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return damaged;
    at += head.json_bytes + head.data_bytes;
    try {
      if (!take(json, {reinterpret_cast<const std::byte*>(data), head.data_bytes}, origin, record)) return {};
    } catch (const Json::exception&) {  // a value of another kind than this version writes
      return damaged;
    }
  }
}

/// The number after `word` at the beginning of a PTX line, and what follows it.
std::optional<std::pair<int, std::string_view>> number_after(std::string_view line, std::string_view word) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !line.substr(begin).starts_with(word)) return std::nullopt;
  line.remove_prefix(begin + word.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  return std::pair(number, line.substr(static_cast<std::size_t>(end - line.data())));
}

template <class Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::map<int, std::string> numbered_files(std::string_view ptx) {
  std::map<int, std::string> files;
  each_line(ptx, [&](std::string_view line) {
    if (const auto file = number_after(line, ".file")) {
      const std::size_t open = file->second.find('"'), close = file->second.find('"', open + 1);
      if (close != std::string_view::npos) files[file->first] = file->second.substr(open + 1, close - open - 1);
    }
  });
  return files;
}

}  // namespace

std::string record_head() {
  std::string head(record_mark);
  head.append(reinterpret_cast<const char*>(&record_version), sizeof record_version);
  return head.append(4, '\0');
}

std::string piece_head(std::string_view json, std::span<const std::byte> data) {
  const PieceHead head{json.size(), data.size(), check_of(json, reinterpret_cast<const char*>(data.data()), data.size())};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head);
}

std::unique_ptr<RecordWriter> RecordWriter::create(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
  return descriptor < 0 ? nullptr : std::unique_ptr<RecordWriter>(new RecordWriter(descriptor));
}

RecordWriter::~RecordWriter() { close(descriptor_); }

void RecordWriter::add(const Json& json, std::span<const std::byte> data) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string first = piece_head(text, data) + text;
  const auto write_all = [&](const char* bytes, std::size_t count) {
    while (count > 0 && !failed_) {
      const ssize_t wrote = write(descriptor_, bytes, count);
      if (wrote < 0 && errno == EINTR) continue;
      failed_ = wrote <= 0;
      if (failed_) return;
      bytes += wrote;
      count -= static_cast<std::size_t>(wrote);
    }
  };
  write_all(first.data(), first.size());
  write_all(reinterpret_cast<const char*>(data.data()), data.size());
}

Result<std::shared_ptr<const RunRecord>> RunRecord::read(const std::filesystem::path& file) {
  auto bytes = read_input(file, most_record_bytes);
  if (!bytes) return failure(bytes.error());
  const std::string head = record_head();
  if (bytes->size() < head.size() || !bytes->starts_with(record_mark))
    return failure("bad_file", fmt::format("{} is no record of a program. 'warpbook exec --record FILE -- PROGRAM' writes one.",
                                           file.string()));
  std::uint32_t version = 0;
  std::memcpy(&version, bytes->data() + record_mark.size(), sizeof version);
  if (version > record_version)
    return failure(
        "newer_record",
        fmt::format("{} was written by a newer Warpbook (version {} of records, and this one reads {}). Open it with that one, "
                    "or record the program again.",
                    file.string(), version, record_version));
  auto record = std::make_shared<RunRecord>();
  record->bytes = std::move(*bytes);
  record->blocks.emplace_back();
  std::string missing = read_pieces(*record, head.size());
  if (record->command.empty())
    return failure("bad_file",
                   fmt::format("{} is damaged from its beginning on, and nothing of it can be read. Record the program again.",
                               file.string()));
  if (!missing.empty()) record->remarks.push_back(std::move(missing));
  double first = record->calls.empty() ? 0 : record->calls.front().begin;
  for (const RecordedCall& call : record->calls) first = std::min(first, call.begin);
  for (RecordedCall& call : record->calls) call.begin -= first, call.end -= first;
  for (RecordedLaunch& launch : record->launches) launch.begin -= first, launch.end -= first;
  return record;
}

std::vector<std::byte> RunRecord::contents(const RecordedMemory& memory) const {
  std::vector<std::byte> whole(memory.bytes);
  for (std::size_t b = 0; b < memory.blocks.size() && b * memory_block < whole.size(); ++b) {
    const std::uint32_t number = memory.blocks[b];
    if (number == 0 || number >= blocks.size()) continue;
    const std::size_t count = std::min(blocks[number].size(), whole.size() - b * memory_block);
    std::memcpy(whole.data() + b * memory_block, blocks[number].data(), count);
  }
  return whole;
}

namespace {

/// Calls `use` with the JSON and the data of each complete piece. Returns the bytes of those.
template <class Use>
std::size_t each_piece(std::string_view bytes, Use use) {
  std::size_t at = 0;
  PieceHead head;
  while (bytes.size() - at >= sizeof head) {
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::size_t left = bytes.size() - at - sizeof head;
    if (head.json_bytes > left || head.data_bytes > left - head.json_bytes) break;
    use(bytes.substr(at + sizeof head, head.json_bytes), bytes.substr(at + sizeof head + head.json_bytes, head.data_bytes));
    at += sizeof head + head.json_bytes + head.data_bytes;
  }
  return at;
}

}  // namespace

std::string_view whole_pieces(std::string_view bytes) {
  return bytes.substr(0, each_piece(bytes, [](std::string_view, std::string_view) {}));
}

std::vector<std::string> modules_in(std::string_view bytes) {
  std::vector<std::string> modules;
  each_piece(bytes, [&](std::string_view json, std::string_view data) {
    if (json == R"({"kind":"module"})") modules.emplace_back(data);
  });
  return modules;
}

std::vector<std::string> files_of(std::string_view ptx) {
  std::vector<std::string> files;
  for (auto& [number, file] : numbered_files(ptx)) files.push_back(file);
  return files;
}

std::string RunRecord::source_file_of(const RecordedLaunch& launch) const {
  if (launch.module >= modules.size()) return {};
  const std::string_view ptx = modules[launch.module];
  std::size_t at = ptx.find(fmt::format(".entry {}(", launch.entry));
  if (at == std::string_view::npos) at = ptx.find(fmt::format(".entry {}\n", launch.entry));
  if (at == std::string_view::npos) return {};
  std::optional<int> number;
  const auto look_in = [&](std::string_view text) {
    each_line(text, [&](std::string_view line) {
      if (const auto loc = number_after(line, ".loc"); loc && !number) number = loc->first;
    });
  };
  look_in(ptx.substr(at, ptx.find("\n}", at) - at));
  if (!number) look_in(ptx);  // Numba's kernels only call a function that has the lines
  if (!number) return {};
  const auto files = numbered_files(ptx);
  const auto found = files.find(*number);
  return found == files.end() ? std::string() : found->second;
}

const RecordedSource* RunRecord::source_of(const RecordedLaunch& launch) const {
  const std::string file = source_file_of(launch);
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const RecordedSource& each) { return each.file == file; });
  return file.empty() || found == sources.end() ? nullptr : &*found;
}

bool is_record(const std::filesystem::path& file) {
  if (file.extension() == ".record") return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::array<char, record_mark.size()> first{};
  std::ifstream in(file, std::ios::binary);
  return in.read(first.data(), first.size()) && std::string_view(first.data(), first.size()) == record_mark;
}

}  // namespace warpbook::gpu
