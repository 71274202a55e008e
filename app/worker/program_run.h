// ProgramRun: runs a whole program under `warpbook exec --record`, on a thread of its own, and hands over its output and its
// record.
//
//     ProgramRun run([] { glfwPostEmptyEvent(); });       // called when there is something new
//     run.start({"./heat", "64"}, true);
//     if (auto ended = run.poll(session.program)) …       // each frame, on the thread that draws
//     run.cancel();                                       // as Ctrl-C: what it did until then is recorded
//
// Records lie in a folder of this object's own, which goes with it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/programs.h"

namespace warpbook::app {

class ProgramRun {
 public:
  explicit ProgramRun(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  struct Ended {
    std::filesystem::path record;  // empty: there is none
    std::string problem;           // why, a sentence
  };
  /// Ends the program that runs. `observe`: look for mistakes. The device is exec's own, which runs more programs than the one that
  /// lessons begin with.
  void start(std::vector<std::string> words, bool observe);
  void cancel();
  /// Puts what is new into the state. The result, once, when the program has ended.
  [[nodiscard]] std::optional<Ended> poll(ProgramState& state);
  [[nodiscard]] bool running() const { return coming_.valid(); }

 private:
  [[nodiscard]] Ended run(const std::vector<std::string>& words, bool observe, const std::filesystem::path& record);
  void read_output(int pipe);

  std::function<void()> wake_;
  std::filesystem::path folder_;  // empty: not made yet
  int runs_ = 0;
  std::future<Ended> coming_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::string said_;   // the end of its output; used by run() only
  std::string fresh_;  // output that was not handed over yet; guarded by mutex_
};

}  // namespace warpbook::app
