// Runner: the one worker thread that owns the device. The window asks and never waits; what it asked comes back as snapshots.
//
//     Runner runner({.device = {.profile = "T4"}, .wake = [] { glfwPostEmptyEvent(); }});
//     runner.run({.lesson = lesson, .values = values, .text = text});      // a running one is cancelled: the latest wins
//     Runner::News news = runner.news();                                   // each frame; never blocks on work
//     if (news.result) show(session, news.result);
//
// A live experiment makes a picture for every time shown() says that the last one was drawn, so it runs at the display's
// rate. Strokes and values reach it in the middle of its steps.
// A GPU that cannot be made, is lost or has no memory left is a problem among the news, and the virtual GPU takes over.
// Thread-safe. The destructor cancels and joins.
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
    std::function<void()> wake;  // called on the worker after every publication; may be empty
    /// What makes devices; replaced by tests. Empty: open_device().
    std::function<Result<std::unique_ptr<gpu::Device>>(gpu::Compiler&, const DeviceKey&)> make_device;
    /// An OpenGL context for the worker, of the window's share group, so that fields need not leave the GPU. Called on the worker:
    /// makes it current there, or none any more; false where it cannot. Empty: there is no window.
    std::function<bool(bool current)> opengl = {};
  };
  struct Request {
    const lessons::Lesson* lesson = nullptr;
    lessons::Values values;
    std::string text;
    std::filesystem::path folder = {};  // of the kernel's headers (lessons::Host::Setup)
  };
  /// What is new since the last call: empty where nothing is.
  struct News {
    std::shared_ptr<const Snapshot> result;
    std::shared_ptr<const Compiled> compiled;
    std::shared_ptr<const Inside> inside;
    std::shared_ptr<const Steps> steps;
    std::shared_ptr<const lessons::Sweep> sweep;  // what it has so far
    struct InUse {
      DeviceKey key;
      gpu::DeviceInfo info;
    };
    std::optional<InUse> device;  // what runs from now on
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
  void change_live(const lessons::Values& values);  // of a running live experiment; restarts it where it must
  void draw_heat(double x, double y, double radius);
  void shown();
  void pause();  // a live experiment: start_live() of the same text goes on where it was
  /// What runs and what waits, or a live experiment that is paused: it starts anew next time.
  void cancel();
  void choose_device(DeviceKey key);
  /// Repeats what gave this answer on the virtual GPU, with all observers; a live experiment on both devices, from its start.
  void look_inside(std::shared_ptr<const Snapshot> of);
  /// Makes the run on the virtual GPU and keeps its steps. A live experiment pauses.
  void record(Request request);

  [[nodiscard]] News news();

 private:
  struct Stroke {
    double x = 0, y = 0, radius = 0;
  };
  struct LiveRun;

  void work();
  [[nodiscard]] Result<std::unique_ptr<gpu::Device>> make(const DeviceKey& key);
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
  [[nodiscard]] bool interrupted() const;  // something ends a live experiment; with mutex_ held
  [[nodiscard]] bool wanted() const;       // something waits besides live values and strokes; with mutex_ held
  void wake() const;

  const Options options_;
  gpu::Compiler compiler_;
  std::unique_ptr<gpu::Device> device_;          // the worker's, and so is …
  DeviceKey key_;                                // … what it was made by, …
  std::unique_ptr<gpu::PictureTaker> pictures_;  // … what draws from its memory, where that can be, and …
  std::unique_ptr<LiveRun> live_run_;            // running or paused; never outlives its device

  std::mutex mutex_;
  std::condition_variable changed_;
  // All below: guarded by mutex_.
  bool stop_ = false, shown_ = true, pause_ = false, anew_ = false;
  std::optional<DeviceKey> choice_;
  std::optional<Request> compile_, run_, live_, record_;
  std::shared_ptr<const Snapshot> look_;
  std::optional<lessons::SweepPlan> sweep_;
  std::optional<lessons::Values> live_values_;
  std::vector<Stroke> strokes_;
  lessons::Live* stepping_ = nullptr;        // of live_run_, while it steps: what may be called beside step()
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
