// Workbook: the window's session and its runner, held together. Answers what panels ask, takes what the worker publishes.
//
//     Workbook book(session, {.wake = [] { glfwPostEmptyEvent(); }});
//     while (!closed) { book.poll(now()); draw_workbook(session, book, size); book.drawn(); }
//
// One thread: the one that draws. When a control changes and the last run was short, it runs again by itself; so does an edited
// kernel once it compiles.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/autosave.h"
#include "app/session/session.h"
#include "app/shell/animations.h"
#include "app/shell/page_exports.h"
#include "app/shell/page_watch.h"
#include "app/worker/host_programs.h"
#include "app/worker/runner.h"

namespace warpbook::app {

class Workbook final : public Actions {
 public:
  /// keep_in: the folder that what the learner does is kept in, and taken up from; empty: none.
  Workbook(Session& session, Runner::Options options, std::filesystem::path keep_in = {});
  ~Workbook() override { keeper_.write(session_); }
  Workbook(const Workbook&) = delete;
  Workbook& operator=(const Workbook&) = delete;

  void poll(double now);  // seconds of some clock that only grows
  void drawn();           // the frame with the last poll's news is on screen
  /// Seconds until poll() has something to do that no event announces; empty: nothing waits.
  [[nodiscard]] std::optional<double> wait() const;
  [[nodiscard]] bool animating() const;  // frames are wanted at the display's rate
  /// The window is asked to close. Session::close says that it may; where something is not kept, the learner is asked first.
  void close();

  void open(const lessons::Lesson& lesson) override;
  void run() override;
  void pause() override;
  void cancel() override;
  void start_again() override;
  void set_values(const lessons::Values& values) override;
  void text_changed() override;
  void open_file(const std::string& path) override;
  void drop(const std::vector<std::string>& paths);  // files on the window: kernels and arrays, for the playground
  void choose_device(const DeviceKey& key) override;
  void restart_with_gpu(int gpu) override;
  void look_inside() override;
  void record() override;
  void sweep(lessons::SweepPlan plan) override;
  void export_sweep(SweepFile kind) override;
  void export_as(const Export& what) override;
  void cancel_export() override { animations_.cancel(); }
  void draw_heat(double x, double y, double radius) override;
  void set_appearance(Appearance appearance) override;
  void set_compiler(gpu::CompilerChoice compiler) override;

 private:
  void close_when_kept();
  [[nodiscard]] Runner::Request request() const;
  [[nodiscard]] bool quick() const;  // the last run was short enough to repeat unasked
  /// Of a lesson that was run in an earlier session: its result is made again.
  void make_again();
  void take_picture();
  /// On a thread of its own: a disk may be slow.
  void write(const std::string& extension, std::function<Result<void>(const std::filesystem::path&)> writer);

  Session& session_;
  Keeper keeper_;
  PageWatch page_watch_;
  HostPrograms host_programs_;
  PageExports page_exports_;
  Animations animations_;
  Runner runner_;
  double now_ = 0;
  std::optional<double> compile_at_;
  bool run_when_compiled_ = false;
  bool pause_when_shown_ = false;  // a live experiment that was made again shows its first picture and rests

  std::shared_ptr<const lessons::Sweep> picture_of_;  // wanted when the frame is drawn
  struct SweepExported {
    const lessons::Lesson* lesson = nullptr;
    Result<std::filesystem::path> file;
  };
  std::future<SweepExported> exporting_;  // valid while a file is being written
};

}  // namespace warpbook::app
