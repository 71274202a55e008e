// RunRecord: a whole program's run in one file, written by `warpbook exec --record FILE`: the program and its output, its CUDA
// calls in order, and of each launch all that is needed to run it again.
//
//     auto record = RunRecord::read("heat.record");
//     for (const RecordedLaunch& launch : record->launches) print(launch.kernel, launch.grid, launch.findings.size());
//     const std::vector<std::byte> before = record->contents(launch.memory.front());
//
// The file: record_mark, the version, and then pieces of the form
//     std::uint64_t bytes of JSON, bytes of data, check sum of both; the JSON; the data
// as long as there are any; the last one's kind is "end". Numbers are little-endian. What each kind holds is written and read in
// run_record.cpp, gpu/runtime/recorder.cpp and app/commands/exec_record.cpp.
//
// Memory is kept in blocks of memory_block bytes, each different one once, because most launches change little. What does not fit
// is left out, and the record says so: RecordedLaunch::left_out, RunRecord::remarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/report.h"
#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::gpu {

inline constexpr std::string_view record_mark = "WBRECORD";
inline constexpr std::uint32_t record_version = 1;
inline constexpr std::size_t memory_block = std::size_t{64} << 10;
/// exec sets this environment variable to "1"; the records of the program's processes lie in the journals' folder.
inline constexpr const char* record_variable = "WARPBOOK_RECORD";

// Limits of what is kept.
inline constexpr std::size_t most_launch_memory = std::size_t{256} << 20;  // bytes that a launch can reach
inline constexpr std::size_t most_record_memory = std::size_t{512} << 20;  // … of all launches, each different block once
inline constexpr std::size_t most_recorded_launches = 5000, most_recorded_calls = 50'000;

/// An allocation or a variable of the program's module, as it was before a launch.
struct RecordedMemory {
  std::string name;  // "allocation 3"; a variable's PTX name
  std::uint64_t address = 0, bytes = 0;
  bool variable = false, constant = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> written;  // from where to where it is initialised; of allocations
  std::vector<std::uint32_t> blocks;                             // in RunRecord::blocks; 0: zeros
};

struct RecordedLaunch {
  std::string kernel, entry;  // "add(int*, int)"; its name in PTX
  std::size_t module = 0;     // in RunRecord::modules
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // dynamic
  std::uint32_t stream = 0;        // numbered as they came; 0: the default stream
  double begin = 0, end = 0;       // as RecordedCall's
  bool cooperative = false;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<RecordedMemory> memory;
  std::string left_out;  // why its memory is not here, a sentence; empty: it is
  std::string remark;    // what may differ when it is run again, a sentence; may be empty

  bool ended = false;  // false: the program ended meanwhile, and the rest is not known
  std::string status = "ok", message;
  double run_ms = 0;
  std::optional<double> model_us;
  std::uint64_t thread_instructions = 0;
  std::vector<Finding> findings;
};

/// One of CUDA's calls.
struct RecordedCall {
  std::string name;  // "cudaMemcpy"; "a kernel's launch"
  std::uint32_t thread = 0, stream = 0;
  double begin = 0, end = 0;                // µs since the first call, on this machine
  double device_begin = 0, device_end = 0;  // µs of the device's modelled time; equal: the device did nothing
  std::uint64_t bytes = 0;                  // of a copy, a fill or an allocation
  std::string direction;                    // of a copy: "to_device", "to_host", "on_device"; of a fill: "fill"
  std::optional<std::size_t> launch;        // in RunRecord::launches
  std::string error;                        // "cudaErrorInvalidValue"; empty: none
};

struct RecordedSource {
  std::string file;  // as the PTX names it
  std::string text;
};

/// Writes pieces of the file's form into a file of this process's own. After a failure it writes nothing more.
class RecordWriter {
 public:
  /// nullptr: the file cannot be made.
  [[nodiscard]] static std::unique_ptr<RecordWriter> create(const std::filesystem::path& file);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  void add(const nlohmann::ordered_json& json, std::span<const std::byte> data = {});

 private:
  explicit RecordWriter(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
  bool failed_ = false;
};

/// A piece's bytes, with its lengths and its check sum.
[[nodiscard]] std::string piece_head(std::string_view json, std::span<const std::byte> data);
/// The first bytes of a record.
[[nodiscard]] std::string record_head();

struct RunRecord {
  std::string command;             // "warpbook exec --record heat.record -- ./heat 64"
  std::vector<std::string> words;  // the program and its arguments
  std::string profile, observe, schedule;
  std::optional<std::uint64_t> seed;
  std::string ended;   // "heat ended with exit code 0 after 1.20 s."
  std::string output;  // standard output and error, as they came
  std::string report;  // what exec printed
  std::vector<RecordedCall> calls;
  std::vector<RecordedLaunch> launches;
  std::vector<std::string> modules;  // PTX
  std::vector<RecordedSource> sources;
  std::vector<std::string> remarks;  // sentences: what was left out, what is damaged

  std::string bytes;                               // of the file
  std::vector<std::span<const std::byte>> blocks;  // in `bytes`; the first is empty: zeros

  /// Errors, each a sentence: "missing_file", "bad_file": no record; "newer_record": of a later Warpbook. Of a record that ends
  /// early or is damaged further on, what comes before is read, and `remarks` says so.
  [[nodiscard]] static Result<std::shared_ptr<const RunRecord>> read(const std::filesystem::path& file);
  [[nodiscard]] std::vector<std::byte> contents(const RecordedMemory& memory) const;
  /// The source that holds the launch's kernel, by the PTX's line table. nullptr: there is none, or it could not be read.
  [[nodiscard]] const RecordedSource* source_of(const RecordedLaunch& launch) const;
  /// The file that the PTX's line table names, even if its text is not here. Empty: the PTX has no line table.
  [[nodiscard]] std::string source_file_of(const RecordedLaunch& launch) const;
};

/// Whether a file's name is a record's, FILE.record, or the file begins as one.
[[nodiscard]] bool is_record(const std::filesystem::path& file);
/// Of the bytes of a RecordWriter's file: those of complete pieces; the modules in them.
[[nodiscard]] std::string_view whole_pieces(std::string_view bytes);
[[nodiscard]] std::vector<std::string> modules_in(std::string_view bytes);
/// The files that a PTX's line table names.
[[nodiscard]] std::vector<std::string> files_of(std::string_view ptx);

}  // namespace warpbook::gpu
