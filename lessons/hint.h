// Hint: what an exercise's author tells a learner whose kernel fails a case, one step at a time: first a nudge, then where, then
// how.
//
//     const Hint* hint = hint_for({one.hints, exercise.hints}, {.verdict = verdict, .finding = finding, .wrong = wrong});
//     if (hint) steps = steps_for(*hint, failure);
//
// A hint speaks of one kind of failure, `when`, or of any. In its steps {line} stands for the line of the finding or of what costs too much, and {element},
// {expected} and {got} for the first wrong element; a step that names what the failure does not have is left out.
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
  std::vector<std::string> steps;           // at least one
  std::string when = {};                    // is_failure(); empty: a wrong result or a finding, whatever kind
  std::string space = {};                   // of a finding: "shared", "global"; empty: any
  std::optional<bool> same_block = {};      // of a race: whether both threads are of one block
  std::optional<std::size_t> element = {};  // of a wrong result: the first wrong element, flat
  std::optional<std::size_t> wrong = {};    // … how many elements are wrong
  bool all_wrong = false;                   // … all of them are
};

/// What went wrong in a case.
struct Failure {
  Checks::Verdict verdict = Checks::Verdict::wrong;
  const gpu::Finding* finding = nullptr;  // with the verdict `finding`
  const Checks::Wrong* wrong = nullptr;   // with the verdict `wrong`
  const Checks::Over* over = nullptr;     // with the verdict `over_limit`
};

/// The words that `when` may be: a finding's kind ("race"), or
///     unwritten    no thread wrote the first wrong element
///     input        the kernel wrote to an array that is only to be read
///     too_large, too_small    the first wrong element is more, or less, than it should be
///     wrong        any wrong result
///     failed, too_slow
///     sectors, time …    a limit's name (limits.h)
[[nodiscard]] bool is_failure(std::string_view when);
[[nodiscard]] std::string failures();  // all of them, to be told: "memory, race, …"

[[nodiscard]] bool speaks_of(const Hint& hint, const Failure& failure);

/// The first that speaks of the failure: those of `lists` that name a kind come before those that do not. nullptr: none.
[[nodiscard]] const Hint* hint_for(std::initializer_list<std::span<const Hint>> lists, const Failure& failure);

/// Its steps with what stands in braces filled in.
[[nodiscard]] std::vector<std::string> steps_for(const Hint& hint, const Failure& failure);

/// The first word in braces that means nothing in a step; empty: there is none.
[[nodiscard]] std::string unknown_place(std::string_view step);

}  // namespace warpbook::lessons
