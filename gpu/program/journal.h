// ProgramJournal: a file in which CUDA's runtime library (gpu/runtime), inside a user's program, writes its results for `warpbook
// exec`.
//
//     auto journal = ProgramJournal::create(folder);              // in the program: folder/PID.journal
//     journal->counters(kernel).launches += 1;
//     journal->add({{"kind", "finding"}, …});                     // a line of JSON
//
//     for (const ProgramRun& run : read_journals(folder))         // in exec, after the program has ended in any way
//
// The file is memory-mapped, so that its contents survive when the program is killed, and a launch needs no system call. One
// process writes a journal, under its library's lock. A child after fork() makes its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"

namespace warpbook::gpu {

/// Environment variables by which exec configures the library.
inline constexpr const char* journal_variable = "WARPBOOK_JOURNAL";  // the folder
inline constexpr int program_not_run_status = 78;  // the exit status of a program that needs something that Warpbook does not have

struct KernelCounters {
  std::uint64_t launches = 0, thread_instructions = 0;
  double run_ms = 0, model_us = 0;
};

struct ProgramRun;

class ProgramJournal {
 public:
  static constexpr std::uint32_t most_kernels = 2048;  // the last entry counts all further kernels

  /// nullptr: the folder is not writable.
  [[nodiscard]] static std::unique_ptr<ProgramJournal> create(const std::filesystem::path& folder);
  ~ProgramJournal();
  ProgramJournal(const ProgramJournal&) = delete;
  ProgramJournal& operator=(const ProgramJournal&) = delete;

  /// The kernel's number: kernels are numbered in the order of their first launch.
  [[nodiscard]] std::uint32_t kernel(const std::string& name);
  [[nodiscard]] KernelCounters& counters(std::uint32_t kernel);
  /// Marks the start and the end of a launch, so that a program that is killed shows in which kernel it was.
  void running(std::uint32_t kernel);
  void idle();
  void count_call();  // any CUDA call
  void add(const nlohmann::ordered_json& line);
  /// The same with a complete line, including its end. Allocates no memory, so that it can be called after a crash.
  void add_text(std::string_view line);

 private:
  friend std::vector<ProgramRun> read_journals(const std::filesystem::path& folder);
  struct Header;
  ProgramJournal(int descriptor, Header* header, std::size_t bytes) : descriptor_(descriptor), header_(header), bytes_(bytes) {}
  int descriptor_;
  Header* header_;
  std::size_t bytes_;  // mapped
};

/// The journal of one process of a program.
struct ProgramRun {
  struct Kernel {
    std::string name;
    KernelCounters counters;
  };
  std::uint32_t process = 0;
  std::uint64_t calls = 0;
  std::vector<Kernel> kernels;
  std::string running;                        // the kernel in which it ended; empty: in none
  std::vector<nlohmann::ordered_json> lines;  // complete lines, in order
};

/// Ordered by creation time. Other files are ignored.
[[nodiscard]] std::vector<ProgramRun> read_journals(const std::filesystem::path& folder);

}  // namespace warpbook::gpu
