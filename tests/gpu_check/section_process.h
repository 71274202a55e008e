// Runs a section of gpu_check in a separate process with a time limit, so that a crash, a hanging driver or a lost device does not
// affect other sections.
//
//     const Ended ended = run_section({"/proc/self/exe", "--section", "kernels", …}, 600, [&] { save_what_there_is(); });
//     if (!ended.well()) say(ended.words());        // "its process ended by signal 11 (Segmentation fault)"
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warpbook::gpu_check {

struct Ended {
  enum class How { exited, crashed, too_long, not_started } how = How::not_started;
  int number = 0;  // the exit code, or the signal
  double seconds = 0;

  [[nodiscard]] bool exited_with(int code) const { return how == How::exited && number == code; }
  /// The end of the process in words, to follow "its process".
  [[nodiscard]] std::string words() const;
};

/// Starts the program with its arguments in a process group of its own; it inherits standard output. `meanwhile` is called about
/// once a second. After `max_seconds` the whole group is killed.
[[nodiscard]] Ended run_section(const std::vector<std::string>& words, double max_seconds, const std::function<void()>& meanwhile);

}  // namespace warpbook::gpu_check
