// Hint: what an exercise's author tells a learner whose kernel fails a case. It has several steps: a nudge, then where, then how.
//
//     const Hint* hint = hint_for({one.hints, exercise.hints}, {.verdict = verdict, .finding = finding, .wrong = wrong});
//     if (hint) steps = steps_for(*hint, failure);
//
// A hint is for one kind of failure (`when`) or for all. In its steps, {line} stands for the line of the finding or of the highest
// cost, and {element}, {expected} and {got} for the first wrong element. A step with a name that the failure does not have is left
// out.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/report.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

struct Hint {
  std::vector<std::string> steps;           // not empty
  std::string when = {};                    // is_failure(); empty: every wrong result and every finding
  std::string space = {};                   // of a finding: "shared", "global"; empty: any
  std::optional<bool> same_block = {};      // race: whether both threads belong to one block
  std::optional<std::size_t> element = {};  // wrong result: the flat index of the first wrong element
  std::optional<std::size_t> wrong = {};    // wrong result: the number of wrong elements
  bool all_wrong = false;                   // wrong result: all elements are wrong
};

/// How a case failed.
struct Failure {
  Checks::Verdict verdict = Checks::Verdict::wrong;
  const gpu::Finding* finding = nullptr;  // if the verdict is `finding`
  const Checks::Wrong* wrong = nullptr;   // if the verdict is `wrong`
  const Checks::Over* over = nullptr;     // if the verdict is `over_limit`
};

/// The values of `when`: a finding's kind ("race"), or
///     unwritten    no thread wrote the first wrong element
///     input        the kernel wrote to an array that it must only read
///     too_large, too_small    the first wrong element is larger, or smaller, than expected
///     wrong        any wrong result
///     failed, too_slow
///     sectors, time …    a limit's name (limits.h)
[[nodiscard]] bool is_failure(std::string_view when);
[[nodiscard]] std::string failures();  // a list of all of them: "memory, race, …"

[[nodiscard]] bool speaks_of(const Hint& hint, const Failure& failure);

/// Whether `later` is never shown in a list where `earlier` stands before it, since `earlier` matches whatever `later` does.
[[nodiscard]] bool hides(const Hint& earlier, const Hint& later);

/// The first matching hint. In each of `lists`, hints for a kind of failure come before hints for all. nullptr: none.
[[nodiscard]] const Hint* hint_for(std::initializer_list<std::span<const Hint>> lists, const Failure& failure);

/// The hint's steps with the names in braces replaced.
[[nodiscard]] std::vector<std::string> steps_for(const Hint& hint, const Failure& failure);

/// The first unknown name in braces. Empty: there is none.
[[nodiscard]] std::string unknown_place(std::string_view step);

}  // namespace warpbook::lessons
