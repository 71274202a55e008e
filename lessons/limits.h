// Limits: what a kernel that computes rightly may cost. An exercise's task.toml says them, and check.h holds them once a case is
// right and nothing was found in it.
//
//     [limits]
//     sectors = 1.25             # of global memory, times the fewest that could hold what was asked for
//     sectors_of_start = 0.36    # … times those of start.cu
//     bank_conflicts = 0         # passes of shared memory beyond one a request
//     atomics = 1                # atomic operations of threads, times the solution's
//     instructions = 1.5         # of warps, times the solution's
//     float64_instructions = 0   # of warps
//     time = 1.2                 # of the kernel by the model, times the solution's
//     occupancy = 1              # at least this share of a multiprocessor's places for warps can be filled
//     profile = "A40"            # on which time and occupancy are; left out: T4
//
//     if (auto over = first_over(exercise.limits, {.learners = mine, .solution = right, .start = began_with}))
//     say(sentence_about(*over));
//
// A limit on what a report did not observe holds nobody up.
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
[[nodiscard]] std::string_view name_of(Limit limit);  // its key in task.toml
[[nodiscard]] std::optional<Limit> limit_named(std::string_view name);

struct Limits {
  std::array<std::optional<double>, limit_count> of{};
  std::string profile;  // "T4"

  std::optional<double>& operator[](Limit limit) { return of[static_cast<std::size_t>(limit)]; }
  const std::optional<double>& operator[](Limit limit) const { return of[static_cast<std::size_t>(limit)]; }
  [[nodiscard]] bool any() const;
  [[nodiscard]] bool by_the_clock() const { return (*this)[Limit::time] || (*this)[Limit::occupancy]; }
  [[nodiscard]] bool counted() const;  // a watched launch tells whether they are kept
};

/// What a case cost. Those that a limit does not ask for may be missing.
struct Spent {
  const gpu::LaunchReport* counted = nullptr;  // watched: it has lines
  const gpu::LaunchReport* timed = nullptr;    // under the clock schedule, on the limits' profile
};
struct SpentBy {
  Spent learners, solution;
  Spent start = {};  // start.cu's
};

/// The first limit that the learner's kernel does not keep, in the order of Limit.
[[nodiscard]] std::optional<Checks::Over> first_over(const Limits& limits, const SpentBy& spent);

}  // namespace warpbook::lessons
