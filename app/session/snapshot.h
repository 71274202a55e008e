// What the worker hands to the window: immutable values, and what they were made from.
//
//     show(session, std::make_shared<const Snapshot>(…));      // session.h
//     if (const lessons::Figure* figure = find_figure(*state.shown, "thread_map")) …
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "lessons/host_code.h"
#include "lessons/lesson.h"

namespace warpbook::app {

/// How a live experiment's field reaches the screen.
struct Drawing {
  std::string word;      // "interop", "pinned copy", "mapped"
  std::string sentence;  // the same with its reason
};

/// The answer of a run, or of one step of a live experiment, together with the question.
struct Snapshot {
  const lessons::Lesson* lesson = nullptr;
  lessons::Values values;
  std::string text;              // the kernel that ran
  std::filesystem::path folder;  // of the kernel's headers
  std::string device;            // "Virtual GPU · T4 profile"
  bool on_gpu = false;           // it ran on a hardware GPU, which does not observe what its threads do
  bool live = false;
  Drawing drawing;                          // of a live experiment
  std::optional<lessons::Outcome> outcome;  // empty: the run failed before it had one
  std::optional<Error> error;               // why it failed; with the code "compile_error", `failure` says more
  std::optional<gpu::CompileFailure> failure;
  gpu::ProgramPtr program;
  double seconds = 0;  // wall time
};

/// The figure that a view of a run shows; nullptr: the run has none.
[[nodiscard]] const lessons::Figure* find_figure(const Snapshot& snapshot, const std::string& view);
/// The first figure of this kind: find_figure_of<lessons::Field>(snapshot). nullptr: the run has none.
template <class Kind>
[[nodiscard]] const lessons::Figure* find_figure_of(const Snapshot& snapshot) {
  if (!snapshot.outcome) return nullptr;
  for (const lessons::Figure& figure : snapshot.outcome->figures)
    if (std::holds_alternative<Kind>(figure)) return &figure;
  return nullptr;
}

/// A run on a GPU beside its repetition on the virtual GPU: the same text and values, with all observations.
struct Inside {
  std::shared_ptr<const Snapshot> of;     // the run that is repeated
  std::shared_ptr<const Snapshot> there;  // the GPU's answer: `of`, or, for a live experiment, a run from its start
  std::shared_ptr<const Snapshot> here;   // the virtual GPU's answer; this run may have failed
};

/// What compiling a text gave: either a program or a failure.
struct Compiled {
  const lessons::Lesson* lesson = nullptr;
  std::string text;
  gpu::ProgramPtr program;
  std::optional<gpu::CompileFailure> failure;
};

/// The host's program for these values and this text, whether or not they have been run (lessons/dry_run.h).
struct HostProgram {
  const lessons::Lesson* lesson = nullptr;
  lessons::Values values;
  std::string text, device;
  gpu::ProgramPtr program;  // the kernels' parameters were taken from it; may be empty
  Result<lessons::HostCode> cuda, numba;
};

/// What the worker is doing now.
struct Activity {
  /// looking: repeats a GPU's run on the virtual GPU; recording: makes a run and keeps its steps.
  enum class Kind { idle, running, live, looking, recording, sweeping } kind = Kind::idle;
  double seconds = 0;                       // since it began
  std::uint64_t done = 0, total = 0;        // blocks of a launch, runs of a sweep; total 0: unknown
  double frames_per_second = 0;             // of a live experiment
  const lessons::Lesson* paused = nullptr;  // the lesson whose live experiment is paused; nullptr: none
};

}  // namespace warpbook::app
