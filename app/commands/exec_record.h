// The record that `warpbook exec --record FILE` writes (gpu/program/run_record.h), and the program's output, which it keeps.
//
//     OutputCopy output;                             // makes the pipes
//     if (fork() == 0) { output.in_child(); … }      // the program writes into them
//     output.begin(); … waitpid … output.end();      // what comes is passed on and kept
//     write_record(file, {…, .output = output.text()}, folder);
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/exec_report.h"
#include "gpu/result.h"

namespace warpbook::app {

/// A program's standard output and error: passed on to ours, and kept up to a limit.
class OutputCopy {
 public:
  OutputCopy();
  ~OutputCopy();
  OutputCopy(const OutputCopy&) = delete;
  OutputCopy& operator=(const OutputCopy&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }
  void in_child() const;  // its streams are the pipes' ends from now on
  void begin();
  /// The program has ended: takes what is still in the pipes. A process that it has left behind is not waited for.
  void end();
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void pass_on();
  using Pipe = std::array<int, 2>;
  Pipe out_{-1, -1}, err_{-1, -1}, stop_{-1, -1};
  bool ready_ = false;
  std::string text_;
  std::thread thread_;
};

/// What exec knows of the run.
struct RecordedRun {
  std::string command;
  std::vector<std::string> words;  // the program and its arguments
  std::string profile, observe, schedule;
  std::optional<std::uint64_t> seed;
  std::string output, ended, report;
  std::vector<std::string> folders;  // of the program's sources
};

/// Joins the records of the program's processes, which lie in the folder, with that.
[[nodiscard]] Result<void> write_record(const std::filesystem::path& file, const RecordedRun& run,
                                        const std::filesystem::path& folder);

}  // namespace warpbook::app
