// A lesson's page with a result on it, as a PNG file: what `picture` and `run --picture` draw.
//
//     PictureWords words{.file = "race.png"};
//     Result<void> drawn = draw_page(words, experiment);
#pragma once

#include <memory>
#include <string>

#include "app/commands/lesson_choice.h"
#include "app/session/session.h"
#include "gpu/compiler.h"
#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/host.h"
#include "lessons/host_code.h"
#include "lessons/lesson.h"

namespace warpbook::app {

/// One run of a lesson, kept whole: the text that was run and whatever came of it.
struct Experiment {
  const lessons::Lesson* lesson = nullptr;
  lessons::Values values;
  std::string text;
  gpu::DeviceInfo device;
  bool on_gpu = false;
  Result<lessons::Outcome> outcome;
  std::optional<gpu::CompileFailure> failure;  // why there is no outcome, where the compiler said so
  gpu::ProgramPtr program;
  Result<lessons::HostCode> host_code, numba_code;  // the host program of the run
};

/// Runs a lesson once with its own kernel.
[[nodiscard]] Result<Experiment> run_experiment(gpu::Device& device, const lessons::Lesson& lesson, const lessons::Values& values);

/// Prints why there is no outcome and returns the exit code.
int complain(const Experiment& experiment);

struct PictureWords {
  std::string file;
  std::string size = "1440x900";  // CSS pixels
  bool light = false;
  bool present = false;
  std::string view;  // this one: alone, or presented; empty: the page, or numbers and kernel
  std::string profile;
};

/// Usage errors for words that cannot be used, save the file (outputs.h); "no_opengl" from the drawing, and the errors of
/// gpu/output_file.h.
[[nodiscard]] Result<void> check(const PictureWords& words);
[[nodiscard]] Result<void> draw_page(const PictureWords& words, const Experiment& experiment);

}  // namespace warpbook::app
