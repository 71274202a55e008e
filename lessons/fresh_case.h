// Fresh case: a generated case of an exercise, with another size and other random values. A kernel that only contains the answers
// of the written cases fails it.
//
//     for (const Exercise::Case& one : fresh_cases(exercise, seed)) if (solution_is_clean(one)) return one;
//
// It is derived from a written case, preferably from one whose size can change. Random arrays get other values. If the launch has
// one dimension and an integer argument is the length of an array, that length is changed to a value from just over half to twice
// as large, but not more than the number of threads. Every array with that length, or with a small multiple of it, follows. Only
// the solution can tell whether the exercise makes sense at that length, so there are two generated cases, and the second keeps the
// written sizes. The same seed gives the same cases.
#pragma once

#include <cstdint>
#include <vector>

#include "lessons/exercise.h"

namespace warpbook::lessons {

/// A short number that is easy to type, and another one at each call.
[[nodiscard]] std::uint64_t seed_by_the_clock();

/// The case with the changed size comes first. Empty for an exercise that is not a kernel.
[[nodiscard]] std::vector<Exercise::Case> fresh_cases(const Exercise& exercise, std::uint64_t seed);

}  // namespace warpbook::lessons
