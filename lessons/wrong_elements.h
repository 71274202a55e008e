// Wrong elements: what differs between the array that an exercise's solution leaves and the learner's, and which thread wrote it.
//
//     if (auto wrong = compare(right, learners, tolerance)) {
//       find_writers(*wrong, traced);          // a launch that traced that array
//       say(sentence_about(*wrong, *right.spec));
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

/// How many wrong elements of an array are told one by one.
inline constexpr std::size_t most_told_elements = 4;

/// An array as a launch left it.
struct ArrayAfter {
  std::size_t argument = 0;  // of the kernel, from 0
  const ArgumentSpec* spec = nullptr;
  std::string name;
  bool read_only = false;  // const for the kernel
  std::vector<std::byte> bytes;
};

/// Floats may differ by `tolerance`, relative to what is right; NaN is right where NaN is expected. Empty: nothing differs.
[[nodiscard]] std::optional<Checks::Wrong> compare(const ArrayAfter& expected, const ArrayAfter& got, double tolerance);

/// Fills in who wrote the elements that are told, from a launch whose trace has that array and no other. A trace that was cut off
/// leaves them not observed.
void find_writers(Checks::Wrong& wrong, const gpu::LaunchReport& traced);

/// "out[128] should be 4 and is 0, as it was before the launch: no thread wrote it. It is the first of 3968 wrong elements of
/// 4096."
[[nodiscard]] std::string sentence_about(const Checks::Wrong& wrong, const ArgumentSpec& spec);

}  // namespace warpbook::lessons
