// What `warpbook exec` says of a program that has ended: read from the journals that CUDA's runtime library (gpu/runtime) left.
//
//     const ExecReport report = exec_report(gpu::read_journals(folder), ended);
//     write_err(exec_text(report, ended));
//     write_file("run.json", dump(exec_json(report, ended), 2));
//     write_file("run.html", exec_html(report, ended));
//
// Places in the program's own code are looked up in its files here, when it has ended.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/program/journal.h"
#include "gpu/report.h"

namespace warpbook::app {

/// How the program was run, and how it ended.
struct ProgramEnd {
  std::string program;  // as it was called
  std::string command;  // … with exec's options and its own arguments
  std::string device;   // "Virtual GPU · A40 profile"
  std::string observe;  // "none", "race,memory"
  bool clock = false;   // the clock schedule, which models times
  int exit_code = 0;
  std::optional<int> signal = {};  // that ended it
  double seconds = 0;
};

struct ExecReport {
  struct Found {
    gpu::Finding finding;
    std::string kernel;
    std::string buffer;  // where the buffer comes from, a sentence; empty: not known
  };
  /// Something that went wrong in the program's own code, or by it.
  struct Wrong {
    std::string kind;  // "fault", "refused", "ignored_error", "leak", "crash", "fork"
    std::string file;  // of the program; empty where it has no debug information
    int line = 0;
    std::string sentence;
    std::string error, call, kernel;  // each empty where it does not apply
    std::uint64_t bytes = 0, times = 1;
  };
  std::vector<gpu::ProgramRun::Kernel> kernels;  // of all processes together, by their first launch
  std::vector<Found> findings;
  std::vector<Wrong> wrong;
  std::vector<std::string> remarks;  // sentences: what could not be run, where it was stopped
  std::vector<std::string> folders;  // of the program's sources, as its debug information names them
  std::uint64_t calls = 0;
  bool loaded = false;   // the library was in the program
  bool not_run = false;  // it needs something that is not here

  /// What --fail-on-findings fails on.
  [[nodiscard]] bool clean() const { return findings.empty() && wrong.empty(); }
};

[[nodiscard]] ExecReport exec_report(std::span<const gpu::ProgramRun> runs, const ProgramEnd& end);

[[nodiscard]] std::string exec_text(const ExecReport& report, const ProgramEnd& end);
[[nodiscard]] nlohmann::ordered_json exec_json(const ExecReport& report, const ProgramEnd& end);
/// A page that needs no other file (exec_html.cpp).
[[nodiscard]] std::string exec_html(const ExecReport& report, const ProgramEnd& end);

/// "heat ended with exit code 0 after 1.20 s."
[[nodiscard]] std::string ended_sentence(const ProgramEnd& end);
/// A source as it lies on the disk; kernels' places name it without its folder. Empty: it is not there.
[[nodiscard]] std::string source_text(const std::string& file, const std::vector<std::string>& folders);
[[nodiscard]] std::string time_text(double ms);  // "1.2 ms"

}  // namespace warpbook::app
