// Sweep: runs a lesson's experiment for many values of one or two controls and collects the results.
//
//     Result<SweepAxis> axis = parse_axis(*lesson, "threads=1..1024");
//     SweepPlan plan{.lesson = lesson, .values = Values::defaults(lesson->controls), .text = kernel, .axes = {*axis}};
//     Sweep sweep = run_sweep(device, plan, &job, [&](const Sweep& so_far) { show(so_far); });
//     SweepChart chart = chart_of(sweep, "got");           // one number, for a line chart or a heat map
//     std::string table = csv_of(sweep);
//
// Every point is a separate run with the same result as if its values had been set by hand. A failed run is a point with a message,
// and the sweep continues. Plain values. Errors are usage errors that quote the wrong words.
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

/// All useful values of a control: powers of two and both ends for a logarithmic slider, about a dozen round values for other
/// ranges, all options of a choice.
[[nodiscard]] SweepAxis axis_of(const Control& control);
/// The same between `low` and `high`, which are included.
[[nodiscard]] SweepAxis axis_of(const Control& control, double low, double high);
/// "threads", "threads=32..512", "coefficient=0..0.5:0.1" (every 0.1), "threads=32,48,64", "atomics=none,shared".
[[nodiscard]] Result<SweepAxis> parse_axis(const Lesson& lesson, std::string_view text);

struct SweepPlan {
  const Lesson* lesson = nullptr;
  Values values;                      // of the other controls
  std::string text;                   // the kernel
  std::vector<SweepAxis> axes;        // one or two
  std::filesystem::path folder = {};  // folder of the kernel's headers (Host::Setup)
  [[nodiscard]] std::size_t points() const;
};
[[nodiscard]] Result<void> check(const SweepPlan& plan);  // needs one or two different axes, not too many points

struct SweepPoint {
  bool tried = false;           // false: not yet, or cancelled before it
  std::string status;           // "ok", CUDA's name, "compile_error"
  std::string message;          // why there are no numbers
  std::vector<Number> numbers;  // figures_of() of the outcome
};

struct Sweep {
  enum class State { running, done, cancelled, stopped };  // stopped: the device can no longer be used
  const Lesson* lesson = nullptr;
  Values values;  // of the other controls
  std::string text, device;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;  // the first axis fastest
  State state = State::running;
  std::string message;  // why it was stopped
  double seconds = 0;   // wall time

  [[nodiscard]] std::size_t tried() const;
  [[nodiscard]] std::size_t failed() const;  // number of points that failed
  [[nodiscard]] Values values_at(std::size_t point) const;
};

/// The numbers of a run, then those of its launch's report: time, occupancy, sectors and passes per request, findings. A number of
/// the lesson replaces one of the report with the same name. Shares are percentages.
[[nodiscard]] std::vector<Number> figures_of(const Outcome& outcome);

/// `told` is called for every finished point. Cancelling keeps the finished points.
[[nodiscard]] Sweep run_sweep(gpu::Device& device, const SweepPlan& plan, gpu::Job* job = nullptr,
                              const std::function<void(const Sweep&)>& told = {});

/// All numbers that some point has, in the order of their first occurrence.
[[nodiscard]] std::vector<Number> results_of(const Sweep& sweep);

/// The first number that the lesson asks to guess, or else the first number. Empty: no point has any.
[[nodiscard]] std::string first_result(const Sweep& sweep);

[[nodiscard]] SweepChart chart_of(const Sweep& sweep, std::string_view result);

/// RFC 4180, one row for each point that was tried: the controls, status, every number by name, message. Missing values are empty.
[[nodiscard]] std::string csv_of(const Sweep& sweep);

}  // namespace warpbook::lessons
