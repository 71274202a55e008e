// Runner: the worker thread. It owns the compiler and the device. The window sends requests and never waits; answers come back as
// immutable values.
//
//     Runner runner({.device = {.profile = "T4"}, .wake = [] { glfwPostEmptyEvent(); }});
//     runner.run({.lesson = lesson, .values = values, .text = text});      // cancels a run under way: the latest request counts
//     Runner::News news = runner.news();                                   // each frame; returns at once
//     if (news.result) show(session, news.result);
//
// A live experiment computes the next picture when shown() says that the last one is on screen, so it runs at the display's rate.
// Changed values and drawn heat reach it between two of its steps.
// If a GPU cannot be opened, is lost or runs out of memory, News::problem says so and the virtual GPU is used from then on.
// All public functions can be called from any thread. The destructor cancels the work and joins the thread.
//
// runner.cpp: requests, news, the thread's loop, the device. runner_jobs.cpp: one function a kind of request. runner_live.cpp: live
// experiments.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/device_key.h"
#include "app/session/snapshot.h"
#include "app/session/steps.h"
#include "lessons/sweep.h"

namespace warpbook::app {

class Runner {
 public:
  struct Options {
    DeviceKey device;
    std::function<void()> wake;  // called on the worker after every answer; may be empty
    /// Opens devices; tests replace it. Empty: open_device().
    std::function<Result<std::unique_ptr<gpu::Device>>(gpu::Compiler&, const DeviceKey&)> make_device;
    /// Makes an OpenGL context current on the worker (true) or releases it (false). The context shares objects with the window's,
    /// so that fields are drawn from the GPU's memory. Called on the worker; returns false if it fails. Empty: there is no window.
    std::function<bool(bool current)> opengl = {};
  };
  struct Request {
    const lessons::Lesson* lesson = nullptr;
    lessons::Values values;
    std::string text;
    std::filesystem::path folder = {};  // of the kernel's headers (lessons::Host::Setup)
  };
  /// What is new since the last call; members are empty where nothing is.
  struct News {
    std::shared_ptr<const Snapshot> result;
    std::shared_ptr<const Compiled> compiled;
    std::shared_ptr<const Inside> inside;
    std::shared_ptr<const Steps> steps;
    std::shared_ptr<const lessons::Sweep> sweep;  // its points so far
    struct InUse {
      DeviceKey key;
      gpu::DeviceInfo info;
    };
    std::optional<InUse> device;  // the device that is used from now on
    struct Problem {
      DeviceKey key;  // of the device that cannot be used
      Error error;
    };
    std::optional<Problem> problem;
    Activity activity;  // as it is now
  };

  explicit Runner(Options options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void compile(Request request);
  void run(Request request);
  void sweep(lessons::SweepPlan plan);
  void start_live(Request request);
  void change_live(const lessons::Values& values);  // of a running live experiment; restarts it if necessary
  void draw_heat(double x, double y, double radius);
  void shown();
  void pause();  // a live experiment; start_live() with the same text continues it
  /// Cancels what runs and what waits. A paused live experiment starts from its beginning next time.
  void cancel();
  void choose_device(DeviceKey key);
  /// Repeats the run that gave this answer on the virtual GPU, with all observations. A live experiment is run on both devices,
  /// from its start.
  void look_inside(std::shared_ptr<const Snapshot> of);
  /// Makes the run on the virtual GPU and records its steps. A live experiment is paused.
  void record(Request request);

  [[nodiscard]] News news();

 private:
  struct Stroke {
    double x = 0, y = 0, radius = 0;
  };
  struct LiveRun;

  void work();
  [[nodiscard]] Result<std::unique_ptr<gpu::Device>> make(const DeviceKey& key);
  /// The device for a request's closer look: the virtual GPU; for a launch of a whole program, one with the launch's memory.
  [[nodiscard]] Result<std::unique_ptr<gpu::Device>> make_for(const Request& request);
  void put(std::unique_ptr<gpu::Device> device);
  [[nodiscard]] Drawing drawing() const;
  void use(const DeviceKey& key);
  void take_over(Error error);  // by the virtual GPU
  void look_after_device(const Snapshot& snapshot);
  void compile_now(const Request& request);
  [[nodiscard]] std::shared_ptr<const Snapshot> answer(gpu::Device& device, const Request& request, gpu::Job& job);
  void run_now(const Request& request, gpu::Job& job);
  void look_now(std::shared_ptr<const Snapshot> of, gpu::Job& job);
  void record_now(const Request& request, gpu::Job& job);
  void sweep_now(const lessons::SweepPlan& plan, gpu::Job& job);
  void live_now(const Request& request, gpu::Job& job);
  [[nodiscard]] bool begin_live(const Request& request, gpu::Job& job);
  void live_failed(const Request& request, Error error);
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void publish(std::shared_ptr<const lessons::Sweep> sweep);
  [[nodiscard]] bool interrupted() const;  // a request ends a live experiment; mutex_ is held
  [[nodiscard]] bool wanted() const;       // a request waits, other than values and strokes; mutex_ is held
  void wake() const;

  const Options options_;
  gpu::Compiler compiler_;
  // Used by the worker only:
  std::unique_ptr<gpu::Device> device_;
  DeviceKey key_;                                // of device_
  std::unique_ptr<gpu::PictureTaker> pictures_;  // draws from its memory; nullptr: that is not possible
  std::unique_ptr<LiveRun> live_run_;            // running or paused; never outlives device_

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_, down to news_:
  bool stop_ = false, shown_ = true, pause_ = false, anew_ = false;
  std::optional<DeviceKey> choice_;
  std::optional<Request> compile_, run_, live_, record_;
  std::shared_ptr<const Snapshot> look_;
  std::optional<lessons::SweepPlan> sweep_;
  std::optional<lessons::Values> live_values_;
  std::vector<Stroke> strokes_;
  lessons::Live* stepping_ = nullptr;        // of live_run_ while it steps; its thread-safe functions may be called
  const lessons::Lesson* paused_ = nullptr;  // of live_run_, while it is paused
  std::shared_ptr<gpu::Job> job_;            // of what runs now
  Activity::Kind kind_ = Activity::Kind::idle;
  std::chrono::steady_clock::time_point began_;
  double frames_per_second_ = 0;
  std::size_t sweep_done_ = 0, sweep_total_ = 0;
  News news_;

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace warpbook::app
