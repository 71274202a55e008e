// Sweep: one lesson's experiment at many values of one or two of its controls, and what each run answered.
//
//     Result<SweepAxis> axis = parse_axis(*lesson, "threads=1..1024");
//     SweepPlan plan{.lesson = lesson, .values = Values::defaults(lesson->controls), .text = kernel, .axes = {*axis}};
//     Sweep sweep = run_sweep(device, plan, &job, [&](const Sweep& so_far) { show(so_far); });
//     SweepChart chart = chart_of(sweep, "got");           // one number of it, for a line chart or a heat map
//     std::string table = csv_of(sweep);
//
// Every point is a run of its own, as if its values had been set by hand: the same numbers come out. A run that fails is a point
// with a sentence, and the sweep goes on. Plain values; errors are usage errors that name the offending words.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/lesson.h"
#include "lessons/sweep_chart.h"

namespace warpbook::lessons {

inline constexpr std::size_t most_sweep_points = 4096;

/// All a control can be, as far as that is worth a run: powers of two and the ends where its slider is logarithmic, a dozen round
/// values or so of other ranges, every option of a choice.
[[nodiscard]] SweepAxis axis_of(const Control& control);
/// The same between `low` and `high`, which are values of their own.
[[nodiscard]] SweepAxis axis_of(const Control& control, double low, double high);
/// "threads", "threads=32..512", "coefficient=0..0.5:0.1" (every 0.1), "threads=32,48,64", "atomics=none,shared".
[[nodiscard]] Result<SweepAxis> parse_axis(const Lesson& lesson, std::string_view text);

struct SweepPlan {
  const Lesson* lesson = nullptr;
  Values values;                // of the other controls
  std::string text;             // the kernel
  std::vector<SweepAxis> axes;  // one or two
  std::filesystem::path folder = {};  // of the kernel's headers (Host::Setup)
  [[nodiscard]] std::size_t points() const;
};
[[nodiscard]] Result<void> check(const SweepPlan& plan);  // one or two different axes, not too many points

struct SweepPoint {
  bool tried = false;           // false: not yet, or cancelled before
  std::string status;           // "ok", CUDA's name, "compile_error"
  std::string message;          // why there are no numbers
  std::vector<Number> numbers;  // figures_of() its outcome
};

struct Sweep {
  enum class State { running, done, cancelled, stopped };  // stopped: the device can be used no longer
  const Lesson* lesson = nullptr;
  Values values;  // of the other controls
  std::string text, device;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;  // the first axis fastest
  State state = State::running;
  std::string message;  // why it was stopped
  double seconds = 0;   // wall time

  [[nodiscard]] std::size_t tried() const;
  [[nodiscard]] std::size_t failed() const;  // of those tried
  [[nodiscard]] Values values_at(std::size_t point) const;
};

/// A run's numbers, then what its launch's report says beside them: time, occupancy, sectors and passes a request, findings.
/// A lesson's own number of the same name stands for it. Shares are in per cent.
[[nodiscard]] std::vector<Number> figures_of(const Outcome& outcome);

/// `told` hears of every point that was finished. Cancelling keeps the points that are there.
[[nodiscard]] Sweep run_sweep(gpu::Device& device, const SweepPlan& plan, gpu::Job* job = nullptr,
                              const std::function<void(const Sweep&)>& told = {});

/// What can be shown of a sweep: every number that some point has, in the order of the first point that has it.
[[nodiscard]] std::vector<Number> results_of(const Sweep& sweep);

/// The first that the lesson asks to guess, else the first there is; empty: no point has any.
[[nodiscard]] std::string first_result(const Sweep& sweep);

[[nodiscard]] SweepChart chart_of(const Sweep& sweep, std::string_view result);

/// RFC 4180, a row a point that was tried: the controls, status, every number by name, message. What a point has not stays empty.
[[nodiscard]] std::string csv_of(const Sweep& sweep);

}  // namespace warpbook::lessons
