// Runner: the one worker thread that owns the device. The window asks and never waits; what it asked comes back as snapshots.
//
//     Runner runner({.profile = "T4", .wake = [] { glfwPostEmptyEvent(); }});
//     runner.run({.lesson = lesson, .values = values, .text = text});      // a running one is cancelled: the latest wins
//     Runner::News news = runner.news();                                   // each frame; never blocks on work
//     if (news.result) show(session, news.result);
//
// A live experiment steps once for every time shown() says that its last step was drawn, so it runs at the display's rate.
// Thread-safe. The destructor cancels and joins.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session.h"

namespace warpbook::app {

class Runner {
 public:
  struct Options {
    std::string profile;         // of the virtual GPU; empty: its default
    std::function<void()> wake;  // called on the worker after every publication; may be empty
    /// What makes the device; replaced by tests. Empty: gpu::make_virtual_device.
    std::function<Result<std::unique_ptr<gpu::Device>>(gpu::Compiler&, const std::string& profile)> make_device;
  };
  struct Request {
    const lessons::Lesson* lesson = nullptr;
    lessons::Values values;
    std::string text;
  };
  /// What is new since the last call: empty where nothing is.
  struct News {
    std::shared_ptr<const Snapshot> result;
    std::shared_ptr<const Compiled> compiled;
    std::optional<std::string> device;  // its name, when one was made
    std::optional<Error> problem;       // it could not be made
    Activity activity;                  // as it is now
  };

  explicit Runner(Options options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void compile(Request request);
  void run(Request request);
  void start_live(Request request);
  void change_live(const lessons::Values& values);  // of a running live experiment; restarts it where it must
  void draw_heat(double x, double y, double radius);
  void shown();
  void pause();   // a live experiment: start_live() of the same text goes on where it was
  void cancel();  // what runs and what waits; a live experiment starts anew next time
  void choose_profile(std::string profile);

  [[nodiscard]] News news();

 private:
  struct Stroke {
    double x = 0, y = 0, radius = 0;
  };
  struct LiveRun;

  void work();
  void make_device(const std::string& profile);
  void compile_now(const Request& request);
  void run_now(const Request& request, gpu::Job& job);
  void live_now(const Request& request, gpu::Job& job);
  [[nodiscard]] bool begin_live(const Request& request, gpu::Job& job);
  void live_failed(const Request& request, Error error);
  void publish(std::shared_ptr<const Snapshot> snapshot);
  [[nodiscard]] bool wanted() const;  // something waits besides live values and strokes; with mutex_ held
  void wake() const;

  const Options options_;
  gpu::Compiler compiler_;
  std::unique_ptr<gpu::Device> device_;  // the worker's, and so is …
  std::unique_ptr<LiveRun> live_run_;    // running or paused; never outlives its device

  std::mutex mutex_;
  std::condition_variable changed_;
  // All below: guarded by mutex_.
  bool stop_ = false, shown_ = true, pause_ = false, anew_ = false;
  std::optional<std::string> profile_;
  std::optional<Request> compile_, run_, live_;
  std::optional<lessons::Values> live_values_;
  std::vector<Stroke> strokes_;
  std::shared_ptr<gpu::Job> job_;  // of what runs now
  Activity::Kind kind_ = Activity::Kind::idle;
  std::chrono::steady_clock::time_point began_;
  double frames_per_second_ = 0;
  News news_;

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace warpbook::app
