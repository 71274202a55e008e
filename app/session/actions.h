// Actions: what panels may ask for. In the window, the workbook answers; a picture without a window has nobody who answers.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/device_key.h"
#include "app/ui/appearance.h"
#include "gpu/compiler.h"
#include "lessons/lesson.h"
#include "lessons/sweep.h"

namespace warpbook::app {

/// What is to be written into a file of the learner's.
struct Export {
  /// field, steps: animations; sweep_csv, sweep_png: what the sweep shows.
  enum class Kind : std::uint8_t { cuda, numba, csv, view, page, field, steps, sweep_csv, sweep_png } kind = Kind::cuda;
  std::string view;  // the name of the view, where `kind` is one
};

/// Everything here is about the open lesson unless a comment says otherwise.
class Actions {
 public:
  virtual ~Actions() = default;
  virtual void open(const lessons::Lesson& lesson) = 0;
  virtual void run() = 0;    // a live experiment starts, or continues
  virtual void pause() = 0;  // a live experiment
  virtual void cancel() = 0;
  virtual void start_again() = 0;  // a live experiment, from its start, with the controls as they are now
  virtual void set_values(const lessons::Values& values) = 0;
  virtual void text_changed() = 0;
  virtual void open_file(const std::string& path) = 0;    // a .cu, in the playground; a record, or a program to run, on its page
  virtual void run_program(const std::string& line) = 0;  // a whole program and its arguments
  virtual void stop_program() = 0;
  virtual void choose_launch(int number) = 0;  // of the program, from 1; it runs again
  virtual void choose_device(const DeviceKey& key) = 0;
  virtual void restart_with_gpu(int gpu) = 0;  // closes the window and starts the program again
  virtual void look_inside() = 0;              // repeats the last run on a GPU on the virtual GPU
  virtual void record() = 0;                   // makes the run on the virtual GPU and keeps its steps
  virtual void sweep(lessons::SweepPlan plan) = 0;
  virtual void export_as(const Export& what) = 0;
  virtual void cancel_export() = 0;  // of an animation
  virtual void draw_heat(double x, double y, double radius) = 0;
  virtual void set_appearance(Appearance appearance) = 0;
  virtual void set_compiler(gpu::CompilerChoice compiler) = 0;  // for every compile from now on
  virtual void set_language(const std::string& code) = 0;       // of every sentence from now on
};

}  // namespace warpbook::app
