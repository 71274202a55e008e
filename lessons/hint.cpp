#include "lessons/hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "gpu/finding_kinds.h"
#include "lessons/element_words.h"
#include "lessons/limits.h"

namespace warpbook::lessons {
namespace {

using Verdict = Checks::Verdict;

constexpr std::array<std::string_view, 7> other_failures{"unwritten", "input",  "too_large", "too_small",
                                                         "wrong",     "failed", "too_slow"};

bool speaks_of_finding(const Hint& hint, gpu::FindingKind kind, const Failure& failure) {
  if (failure.verdict != Verdict::finding || failure.finding == nullptr || failure.finding->kind != kind) return false;
  const gpu::Finding& finding = *failure.finding;
  if (!hint.space.empty() && finding.space != hint.space) return false;
  return !hint.same_block || (finding.other && (finding.other->block == finding.at.block) == *hint.same_block);
}

bool speaks_of_wrong(const Hint& hint, const Failure& failure) {
  if (failure.verdict != Verdict::wrong || failure.wrong == nullptr) return false;
  const Checks::Wrong& wrong = *failure.wrong;
  const Checks::Wrong::Element& first = wrong.first.front();
  if (hint.element && *hint.element != first.index) return false;
  if (hint.wrong && *hint.wrong != wrong.wrong) return false;
  if (hint.all_wrong && wrong.wrong != wrong.elements) return false;
  if (hint.when == "wrong") return true;
  if (hint.when == "input") return wrong.read_only;
  if (wrong.read_only) return false;
  if (hint.when == "unwritten") return first.writes && first.writes->count == 0;
  const double expected = value_of(first.expected), got = value_of(first.got);
  return hint.when == "too_large" ? got > expected : got < expected;
}

/// The value for a word in braces. Empty: this failure has no such value.
std::optional<std::string> place_named(std::string_view word, const Failure& failure) {
  if (word == "line" && failure.over != nullptr) {
    if (failure.over->line == 0) return std::nullopt;
    return fmt::format("{}", failure.over->line);
  }
  if (word == "line") {
    if (failure.finding == nullptr || failure.finding->at.line == 0) return std::nullopt;
    return fmt::format("{}", failure.finding->at.line);
  }
  if (failure.wrong == nullptr) return std::nullopt;
  const Checks::Wrong::Element& first = failure.wrong->first.front();
  if (word == "element") return fmt::format("{}[{}]", failure.wrong->array, first.index);
  return text_of(word == "expected" ? first.expected : first.got);
}

bool is_place(std::string_view word) { return word == "line" || word == "element" || word == "expected" || word == "got"; }

/// Calls `each` for every {word} of lower-case letters, with the brace's position and the word.
template <typename Each>
void for_each_place(std::string_view step, Each each) {
  for (std::size_t open = step.find('{'); open != std::string_view::npos; open = step.find('{', open + 1)) {
    std::size_t end = open + 1;
    while (end < step.size() && std::islower(static_cast<unsigned char>(step[end])) != 0) ++end;
    if (end > open + 1 && end < step.size() && step[end] == '}') each(open, step.substr(open + 1, end - open - 1));
  }
}

std::optional<std::string> filled_step(std::string_view step, const Failure& failure) {
  std::string filled;
  std::size_t from = 0;
  bool known = true;
  for_each_place(step, [&](std::size_t open, std::string_view word) {
    const auto words = place_named(word, failure);
    known = known && words;
    filled += fmt::format("{}{}", step.substr(from, open - from), words.value_or(std::string()));
    from = open + word.size() + 2;
  });
  if (!known) return std::nullopt;
  return filled.append(step.substr(from));
}

}  // namespace

bool is_failure(std::string_view when) {
  return gpu::finding_kind(when) || limit_named(when) ||
         std::find(other_failures.begin(), other_failures.end(), when) != other_failures.end();
}

std::string failures() {
  std::string all = fmt::format("{}, {}", gpu::finding_names(), fmt::join(other_failures, ", "));
  for (std::size_t i = 0; i < limit_count; ++i) all += fmt::format(", {}", name_of(static_cast<Limit>(i)));
  return all;
}

bool speaks_of(const Hint& hint, const Failure& failure) {
  if (hint.when.empty()) return failure.verdict == Verdict::wrong || failure.verdict == Verdict::finding;
  if (limit_named(hint.when)) return failure.over != nullptr && failure.over->limit == hint.when;
  if (hint.when == "failed") return failure.verdict == Verdict::failed;
  if (hint.when == "too_slow") return failure.verdict == Verdict::too_slow;
  if (const auto kind = gpu::finding_kind(hint.when)) return speaks_of_finding(hint, *kind, failure);
  return speaks_of_wrong(hint, failure);
}

bool hides(const Hint& earlier, const Hint& later) {
  constexpr std::array<std::string_view, 4> kinds_of_wrong{"unwritten", "input", "too_large", "too_small"};
  const bool as_wide =
      earlier.when == later.when || (earlier.when == "wrong" && std::ranges::count(kinds_of_wrong, later.when) > 0);
  const auto asks_no_more = [](const auto& mine, const auto& others) { return !mine || mine == others; };
  return as_wide && (earlier.space.empty() || earlier.space == later.space) && asks_no_more(earlier.same_block, later.same_block) &&
         asks_no_more(earlier.element, later.element) && asks_no_more(earlier.wrong, later.wrong) &&
         (!earlier.all_wrong || later.all_wrong);
}

const Hint* hint_for(std::initializer_list<std::span<const Hint>> lists, const Failure& failure) {
  for (const bool named : {true, false}) {
    for (const auto& list : lists) {
      for (const Hint& hint : list) {
        if (hint.when.empty() != named && speaks_of(hint, failure)) return &hint;
      }
    }
  }
  return nullptr;
}

std::vector<std::string> steps_for(const Hint& hint, const Failure& failure) {
  std::vector<std::string> steps;
  for (const std::string& step : hint.steps) {
    if (auto words = filled_step(step, failure)) steps.push_back(std::move(*words));
  }
  return steps;
}

std::string unknown_place(std::string_view step) {
  std::string unknown;
  for_each_place(step, [&](std::size_t, std::string_view word) {
    if (unknown.empty() && !is_place(word)) unknown = word;
  });
  return unknown;
}

}  // namespace warpbook::lessons
