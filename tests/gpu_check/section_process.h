// A section of gpu_check in a process of its own, with a time limit: a crash, a driver that hangs or a lost device takes no other
// section with it.
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
  /// What became of the process, to go on after "its process".
  [[nodiscard]] std::string words() const;
};

/// Starts the program with its arguments, its output where ours goes, in a process group of its own. `meanwhile` is called about
/// once a second. After `max_seconds` the whole group is killed.
[[nodiscard]] Ended run_section(const std::vector<std::string>& words, double max_seconds, const std::function<void()>& meanwhile);

}  // namespace warpbook::gpu_check
