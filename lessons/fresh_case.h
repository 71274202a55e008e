// Fresh case: a case of an exercise that nobody could have written down before: another size, other random values. Who knows the
// answers of the written cases, and nothing else, fails it.
//
//     for (const Exercise::Case& one : fresh_cases(exercise, seed)) if (solution_is_clean(one)) return one;
//
// It is made from one of the written cases, if possible from one whose size can change. Random arrays get other values. Where the
// launch has one dimension and an integer argument is the length of an array, that length becomes another, from just over half of
// it to twice as many, but not more than the launch has threads; every array with that length, or with a small multiple of it,
// follows. Whether the exercise makes sense at that length only its solution can tell: so there are two, and the second has the
// written sizes. The same seed gives the same.
#pragma once

#include <cstdint>
#include <vector>

#include "lessons/exercise.h"

namespace warpbook::lessons {

/// A short number, so that it can be typed again; another one at each call.
[[nodiscard]] std::uint64_t seed_by_the_clock();

/// The bolder one first; none of an exercise that is no kernel.
[[nodiscard]] std::vector<Exercise::Case> fresh_cases(const Exercise& exercise, std::uint64_t seed);

}  // namespace warpbook::lessons
