#include "app/session/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "app/text/numbers.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using gpu::FindingKind;
using lessons::Number;

constexpr std::size_t least_rows = 4;  // a lesson that shows its numbers in a view has none on the page

const Number* find(const Snapshot& snapshot, const std::string& name) {
  if (!snapshot.outcome) return nullptr;
  const auto& numbers = snapshot.outcome->numbers;
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.name == name; });
  return found == numbers.end() ? nullptr : &*found;
}

std::string status_of(const Snapshot& snapshot) {
  return snapshot.outcome ? snapshot.outcome->report.status : snapshot.error ? snapshot.error->code : "ok";
}

std::string with_unit(const Number* number, const Snapshot& of) {
  if (number == nullptr) return status_of(of) == "ok" ? say("not observed") : say("no result");
  return number->unit.empty() ? printed(*number) : printed(*number) + " " + number->unit;
}

std::string lines_of(const gpu::LaunchReport& report, FindingKind kind) {
  std::set<std::uint32_t> lines;
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind == kind && finding.at.line > 0) lines.insert(finding.at.line);
  }
  std::string words;
  for (const std::uint32_t line : lines) words += fmt::format("{}{}", words.empty() ? "" : ", ", line);
  return lines.empty() ? std::string(say("found")) : say_many(lines.size(), "line {lines}", "lines {lines}", "lines"_a = words);
}

bool found(const Comparison& c, FindingKind kind) {
  return c.seen[static_cast<std::size_t>(kind)].here == gpu::Observation::observed;
}

/// "a race and a barrier that not all threads reach"; empty: nothing that makes a kernel wrong was found.
std::string mistakes(const Comparison& c) {
  constexpr std::array<std::pair<FindingKind, ToSay>, 4> wrong{{{FindingKind::race, to_say("a race")},
                                                                {FindingKind::memory, to_say("an access outside an array")},
                                                                {FindingKind::init, to_say("a read of what nobody wrote")},
                                                                {FindingKind::sync, to_say("a barrier that not all reach")}}};
  std::string words;
  for (const auto& [kind, name] : wrong) {
    if (found(c, kind))
      words = words.empty() ? std::string(say(name)) : say("{some} and {another}", "some"_a = words, "another"_a = say(name));
  }
  return words;
}

std::string verdict_of(const Comparison& c, const Snapshot& there, const Snapshot& here, bool differs) {
  const std::string mistakes_there = mistakes(c);
  const bool none = mistakes_there.empty();
  const auto wrong = "mistakes"_a = mistakes_there;
  if (!here.outcome)
    return say("The virtual GPU could not repeat it. {why}", "why"_a = here.error ? here.error->message : std::string());
  if (!here.outcome->whole())
    return say("The launch fails on the virtual GPU too. {why}", "why"_a = say(here.outcome->report.message));
  if (status_of(there) != "ok") {
    const std::string said = status_of(there);
    const auto error = "error"_a = said;
    return none ? say("The hardware says `{error}` and no more. On the virtual GPU the same launch ends well, and no mistake was "
                      "found.",
                      error)
                : say("The hardware says `{error}` and no more. The virtual GPU found {mistakes}, and says where.", error, wrong);
  }
  if (!differs) {
    if (none) return say("Both give the same numbers, and no mistake was found.");
    return say("Both give the same numbers. The virtual GPU found {mistakes}, of which the hardware says nothing.", wrong);
  }
  if (found(c, FindingKind::race)) {
    return say("The numbers differ, and there is a race: who comes first decides, and that is not the same on each device.");
  }
  if (none) return say("The numbers differ, and nothing was found that explains it.");
  return say("The numbers differ, and the virtual GPU found {mistakes}, which may be why.", wrong);
}

}  // namespace

std::string printed(const Number& number) {
  if (!std::isfinite(number.value))
    return std::isnan(number.value) ? std::string(say("not a number")) : number.value < 0 ? "−∞" : "∞";
  if (number.decimals <= 0 && std::abs(number.value) < 1e15) return grouped(std::llround(number.value));
  std::string digits = fmt::format("{:.{}f}", number.value, number.decimals);
  if (digits.starts_with('-')) digits = "−" + digits.substr(1);
  return digits;
}

Comparison compare(const Snapshot& there, const Snapshot& here) {
  Comparison c;
  if (status_of(there) != "ok" || status_of(here) != "ok") {
    c.rows.push_back({.label = say("Launch"),
                      .there = status_of(there),
                      .here = status_of(here),
                      .differs = status_of(there) != status_of(here)});
  }
  std::vector<const Number*> numbers;  // by name, the GPU's first
  std::set<std::string> names;
  for (const Snapshot* snapshot : {&there, &here}) {
    if (!snapshot->outcome) continue;
    for (const Number& number : snapshot->outcome->numbers) {
      if (names.insert(number.name).second) numbers.push_back(&number);
    }
  }
  bool any_differs = false;
  std::vector<Comparison::Row> spare;
  for (const Number* number : numbers) {
    const Number *first = find(there, number->name), *second = find(here, number->name);
    Comparison::Row row{.label = say(number->label),
                        .there = with_unit(first, there),
                        .here = with_unit(second, here),
                        .there_missing = first == nullptr,
                        .here_missing = second == nullptr};
    const bool both = first != nullptr && second != nullptr;
    row.differs = both && !number->of_device && row.there != row.here;
    any_differs = any_differs || row.differs;
    const bool shown = number->on_page || number->tone == Number::Tone::first || (second != nullptr && second->on_page);
    if (shown || row.differs) {
      c.rows.push_back(std::move(row));
    } else if (both && !number->of_device) {
      spare.push_back(std::move(row));
    }
  }
  const std::size_t wanted = c.rows.size() < least_rows ? least_rows - c.rows.size() : 0;
  const std::size_t taken = std::min(wanted, spare.size());
  c.same_left_out = spare.size() - taken;
  for (std::size_t i = 0; i < taken; ++i) c.rows.push_back(std::move(spare[i]));

  for (std::size_t i = 0; i < gpu::finding_kinds; ++i) {
    Comparison::Seen seen{.kind = static_cast<FindingKind>(i)};
    if (there.outcome) seen.there = there.outcome->report.observed.of[i];
    if (here.outcome) {
      seen.here = here.outcome->report.observed.of[i];
      if (seen.here == gpu::Observation::observed) seen.lines = lines_of(here.outcome->report, seen.kind);
    }
    c.seen.push_back(std::move(seen));
  }
  c.verdict = verdict_of(c, there, here, any_differs);
  return c;
}

}  // namespace warpbook::app
