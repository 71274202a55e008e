// ProgramJournal: what CUDA's runtime library (gpu/runtime), inside somebody's program, leaves for `warpbook exec` to read after
// it.
//
//     auto journal = ProgramJournal::create(folder);              // in the program: folder/PID.journal
//     journal->counters(kernel).launches += 1;
//     journal->add({{"kind", "finding"}, …});                     // a line of JSON
//
//     for (const ProgramRun& run : read_journals(folder))         // in exec, when the program has ended, however it did
//
// The file is mapped, so that what was written is there also when the program was killed, and a launch costs no call of the system.
// One process writes a journal, under its library's lock; a child after fork() makes one of its own.
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

/// The environment by which exec talks to the library.
inline constexpr const char* journal_variable = "WARPBOOK_JOURNAL";  // the folder
inline constexpr int program_not_run_status = 78;                    // what a program ends with that needs what is not there

struct KernelCounters {
  std::uint64_t launches = 0, thread_instructions = 0;
  double run_ms = 0, model_us = 0;
};

struct ProgramRun;

class ProgramJournal {
 public:
  static constexpr std::uint32_t most_kernels = 2048;  // the last one counts all further ones, too

  /// nullptr: the folder cannot be written.
  [[nodiscard]] static std::unique_ptr<ProgramJournal> create(const std::filesystem::path& folder);
  ~ProgramJournal();
  ProgramJournal(const ProgramJournal&) = delete;
  ProgramJournal& operator=(const ProgramJournal&) = delete;

  /// A kernel's number, in the order in which they are first launched.
  [[nodiscard]] std::uint32_t kernel(const std::string& name);
  [[nodiscard]] KernelCounters& counters(std::uint32_t kernel);
  /// The kernel that runs now, for a program that is stopped in it; begin and end of a launch.
  void running(std::uint32_t kernel);
  void idle();
  void count_call();  // any call of CUDA's
  void add(const nlohmann::ordered_json& line);
  /// The same with a line that is written already, with its end; asks the C library for no memory.
  void add_text(std::string_view line);

 private:
  friend std::vector<ProgramRun> read_journals(const std::filesystem::path& folder);
  struct Header;
  ProgramJournal(int descriptor, Header* header, std::size_t bytes) : descriptor_(descriptor), header_(header), bytes_(bytes) {}
  int descriptor_;
  Header* header_;
  std::size_t bytes_;  // mapped
};

/// One process of a program, as its journal tells it.
struct ProgramRun {
  struct Kernel {
    std::string name;
    KernelCounters counters;
  };
  std::uint32_t process = 0;
  std::uint64_t calls = 0;
  std::vector<Kernel> kernels;
  std::string running;                        // the kernel in which it ended; empty: in none
  std::vector<nlohmann::ordered_json> lines;  // whole ones, in their order
};

/// By the time of their making. Files that are no journals are left out.
[[nodiscard]] std::vector<ProgramRun> read_journals(const std::filesystem::path& folder);

}  // namespace warpbook::gpu
