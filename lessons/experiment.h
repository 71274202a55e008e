// Helpers for every lesson's run(): its stopwatch, the result of a failed launch, seeds and random numbers.
//
//     const Stopwatch watch;
//     define_macros(host, lesson, values);
//     auto report = host.launch(…);
//     if (!report) return failure(report.error());
//     if (!report->ok()) return without_results(std::move(*report));
//     …
//     outcome.seconds = watch.seconds();
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>

#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point begin_ = clock::now();
};

/// The outcome of a failed launch: the report says why, and there is nothing to show. A cancelled launch is an Error, so that the
/// page keeps its last result.
[[nodiscard]] inline Result<Outcome> without_results(gpu::LaunchReport report) {
  if (report.status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  Outcome outcome;
  outcome.report = std::move(report);
  return outcome;
}

/// The kernel's time: from the model if there is one, otherwise measured.
[[nodiscard]] inline double microseconds(const gpu::LaunchReport& report) { return report.model_us.value_or(report.run_ms * 1e3); }

/// The report of a launch that is too big to observe, with the findings of a smaller launch of the same kernel.
[[nodiscard]] inline gpu::LaunchReport with_findings_of(gpu::LaunchReport whole, const gpu::LaunchReport& watched) {
  whole.findings = watched.findings;
  whole.findings_left_out = watched.findings_left_out;
  whole.remarks = watched.remarks;
  whole.observed = watched.observed;
  whole.lines = watched.lines;
  return whole;
}

/// Defines the macros for these values. Call it before the launch.
inline void define_macros(Host& host, const Lesson& lesson, const Values& values) {
  for (const auto& [name, value] : macros_of(lesson, values)) host.define(name, value);
}

/// Uniform in [0, 1), from the generator's 53 high bits, so that all machines draw the same numbers (the standard library's
/// distributions differ between implementations).
[[nodiscard]] inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Standard normal, by the method of Box and Muller (Ann. Math. Stat. 29, 1958).
[[nodiscard]] inline double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(random)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(random));
}

/// A different seed for each trial, derived from the learner's seed by splitmix64 (Steele, Lea, Flood, OOPSLA 2014). Trial 0 has
/// the seed itself.
[[nodiscard]] inline std::uint64_t seed_of_trial(std::uint64_t seed, std::uint64_t trial) {
  if (trial == 0) return seed;
  std::uint64_t z = (seed << 32) + trial * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace warpbook::lessons
