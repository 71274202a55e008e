// Wrong elements: compares a learner's array with the solution's, and finds the threads that wrote the wrong elements.
//
//     if (auto wrong = compare(right, learners, tolerance)) {
//       find_writers(*wrong, traced);          // a launch that traced that array
//     say(sentence_about(*wrong, *right.spec));
//     }
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/report.h"
#include "gpu/types.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// Number of wrong elements of an array that are reported one by one.
inline constexpr std::size_t most_told_elements = 4;

/// An array after a launch.
struct ArrayAfter {
  std::size_t argument = 0;  // index of the kernel's argument, from 0
  const ArgumentSpec* spec = nullptr;
  std::string name;
  bool read_only = false;  // const in the kernel
  std::vector<std::byte> bytes;
};

/// Floats may differ by `tolerance`, relative to the expected value. NaN equals NaN. Empty: the arrays are equal.
[[nodiscard]] std::optional<Checks::Wrong> compare(const ArrayAfter& expected, const ArrayAfter& got, double tolerance);

/// Finds the writers of the reported elements in a launch that traced this array only. If the trace is truncated, they stay
/// unobserved.
void find_writers(Checks::Wrong& wrong, const gpu::LaunchReport& traced);

/// "out[128] should be 4 and is 0, as it was before the launch: no thread wrote it. It is the first of 3968 wrong elements of
/// 4096."
[[nodiscard]] std::string sentence_about(const Checks::Wrong& wrong, const ArgumentSpec& spec);

}  // namespace warpbook::lessons
