// Workbook: the session and its worker, held together. It does what panels ask for and takes over what the worker answers.
//
//     Workbook book(session, {.wake = [] { glfwPostEmptyEvent(); }});
//     while (!closed) { book.poll(now()); draw_workbook(session, book, size); book.drawn(); }
//
// Used on the thread that draws only. When a control changes and the last run was quick, the workbook runs again by itself; so it
// does when an edited kernel has compiled.
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
#include "app/shell/exports.h"
#include "app/shell/page_watch.h"
#include "app/worker/host_programs.h"
#include "app/worker/program_run.h"
#include "app/worker/runner.h"

namespace warpbook::app {

class Workbook final : public Actions {
 public:
  /// keep_in: the folder that the learner's work is read from and saved in; empty: it is not saved.
  Workbook(Session& session, Runner::Options options, std::filesystem::path keep_in = {});
  ~Workbook() override { autosave_.write(session_); }
  Workbook(const Workbook&) = delete;
  Workbook& operator=(const Workbook&) = delete;

  void poll(double now);  // seconds of a clock that never goes back
  void drawn();           // to be called when the frame is on screen
  /// Seconds until poll() must be called even if no event comes; empty: an event will come.
  [[nodiscard]] std::optional<double> wait() const;
  [[nodiscard]] bool animating() const;  // draw frames at the display's rate
  /// The learner closes the window. Sets Session::close; if something could not be saved, it asks first.
  void close();

  void open(const lessons::Lesson& lesson) override;
  void run() override;
  void pause() override;
  void cancel() override;
  void start_again() override;
  void set_values(const lessons::Values& values) override;
  void text_changed() override;
  void open_file(const std::string& path) override;
  void run_program(const std::string& line) override;
  void stop_program() override { program_run_.cancel(); }
  void choose_launch(int number) override;
  void drop(const std::vector<std::string>& paths);  // files on the window: kernels and arrays, for the playground
  void choose_device(const DeviceKey& key) override;
  void restart_with_gpu(int gpu) override;
  void look_inside() override;
  void record() override;
  void sweep(lessons::SweepPlan plan) override;
  void export_as(const Export& what) override;
  void cancel_export() override { animations_.cancel(); }
  void draw_heat(double x, double y, double radius) override;
  void set_appearance(Appearance appearance) override;
  void set_compiler(gpu::CompilerChoice compiler) override;
  void set_language(const std::string& code) override;

 private:
  void open_record(const std::filesystem::path& file);
  void close_when_kept();
  [[nodiscard]] Runner::Request request() const;
  [[nodiscard]] bool quick() const;  // the last run was quick enough to be repeated by itself
  /// Repeats the run of a lesson that was run in an earlier session.
  void make_again();

  Session& session_;
  Autosave autosave_;
  PageWatch page_watch_;
  HostPrograms host_programs_;
  ProgramRun program_run_;
  Exports exports_;
  Animations animations_;
  Runner runner_;
  double now_ = 0;
  std::optional<double> compile_at_;
  bool run_when_compiled_ = false;
  bool pause_when_shown_ = false;  // a repeated live experiment pauses after its first picture
};

}  // namespace warpbook::app
