// Limits: what a correct kernel may cost. They are set in an exercise's task.toml; check.h tests them for cases that are right and
// have no findings.
//
//     [limits]
//     sectors = 1.25             # of global memory, relative to the minimum for the requested bytes
//     sectors_of_start = 0.36    # … relative to those of start.cu
//     bank_conflicts = 0         # passes of shared memory beyond one per request
//     atomics = 1                # atomic operations of threads, relative to the solution's
//     instructions = 1.5         # of warps, relative to the solution's
//     float64_instructions = 0   # of warps
//     time = 1.2                 # the kernel's model time, relative to the solution's
//     occupancy = 1              # minimal theoretical occupancy
//     profile = "A40"            # the device for time and occupancy; default: T4
//
//     if (auto over = first_over(exercise.limits, {.learners = mine, .solution = right, .start = began_with}))
//     say(sentence_about(*over));
//
// A limit on something that was not observed is ignored.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/report.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

enum class Limit : std::uint8_t {
  sectors,
  sectors_of_start,
  bank_conflicts,
  atomics,
  instructions,
  float64_instructions,
  time,
  occupancy
};
inline constexpr std::size_t limit_count = 8;
[[nodiscard]] std::string_view name_of(Limit limit);  // the key in task.toml
[[nodiscard]] std::optional<Limit> limit_named(std::string_view name);

struct Limits {
  std::array<std::optional<double>, limit_count> of{};
  std::string profile;  // "T4"

  std::optional<double>& operator[](Limit limit) { return of[static_cast<std::size_t>(limit)]; }
  const std::optional<double>& operator[](Limit limit) const { return of[static_cast<std::size_t>(limit)]; }
  [[nodiscard]] bool any() const;
  [[nodiscard]] bool by_the_clock() const { return (*this)[Limit::time] || (*this)[Limit::occupancy]; }
  [[nodiscard]] bool counted() const;  // whether a limit needs the counts of an observed launch
};

/// The cost of a case. Reports that no limit needs may be missing.
struct Spent {
  const gpu::LaunchReport* counted = nullptr;  // an observed launch, with counts by line
  const gpu::LaunchReport* timed = nullptr;    // a launch with the clock schedule on the limits' profile
};
struct SpentBy {
  Spent learners, solution;
  Spent start = {};  // of start.cu
};

/// The first limit, in the order of Limit, that the learner's kernel exceeds.
[[nodiscard]] std::optional<Checks::Over> first_over(const Limits& limits, const SpentBy& spent);

}  // namespace warpbook::lessons
