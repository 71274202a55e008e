#include "app/panels/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/draw.h"

namespace warpbook::app {
namespace {

using gpu::FindingKind;
using lessons::Number;

constexpr std::size_t least_rows = 4;  // a lesson that shows its numbers in a view has none on the page
constexpr std::string_view missing = "not observed";

const Number* find(const Snapshot& snapshot, const std::string& name) {
  if (!snapshot.outcome) return nullptr;
  const auto& numbers = snapshot.outcome->numbers;
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.name == name; });
  return found == numbers.end() ? nullptr : &*found;
}

std::string with_unit(const Number* number) {
  if (number == nullptr) return std::string(missing);
  return number->unit.empty() ? printed(*number) : printed(*number) + " " + number->unit;
}

std::string status_of(const Snapshot& snapshot) {
  return snapshot.outcome ? snapshot.outcome->report.status : snapshot.error ? snapshot.error->code : "ok";
}

std::string lines_of(const gpu::LaunchReport& report, FindingKind kind) {
  std::set<std::uint32_t> lines;
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind == kind && finding.at.line > 0) lines.insert(finding.at.line);
  }
  std::string words;
  for (const std::uint32_t line : lines) words += fmt::format("{}{}", words.empty() ? "" : ", ", line);
  return lines.empty() ? "found" : (lines.size() == 1 ? "line " : "lines ") + words;
}

bool found(const Comparison& c, FindingKind kind) {
  return c.seen[static_cast<std::size_t>(kind)].here == gpu::Observation::observed;
}

std::string say(const Comparison& c, const Snapshot& there, const Snapshot& here, bool differs) {
  const bool race = found(c, FindingKind::race);
  const bool mistake = race || found(c, FindingKind::memory) || found(c, FindingKind::init) || found(c, FindingKind::sync);
  if (!here.outcome) return "The virtual GPU could not repeat it. " + (here.error ? here.error->message : std::string());
  if (!here.outcome->report.ok()) return "The virtual GPU's launch failed too. " + here.outcome->report.message;
  if (status_of(there) != "ok") {
    return fmt::format("The hardware only says {}. {}", status_of(there),
                       mistake ? "The virtual GPU left the wrong accesses out, went on and noted where they are."
                               : "On the virtual GPU the same launch ends well, and no mistake was found.");
  }
  if (!differs) {
    return mistake ? "Both give the same numbers, and yet there is a mistake: this time it did no harm that shows."
                   : "Both give the same numbers, and no mistake was found.";
  }
  if (race) return "The numbers differ, and there is a race: who comes first decides, and on each device that is somebody else.";
  if (mistake) return "The numbers differ, and the virtual GPU found a mistake that may be why.";
  return "The numbers differ, and nothing was found that explains it.";
}

}  // namespace

std::string printed(const Number& number) {
  if (!std::isfinite(number.value)) return std::isnan(number.value) ? "nan" : number.value < 0 ? "−inf" : "inf";
  if (number.decimals <= 0 && std::abs(number.value) < 1e15) return grouped(std::llround(number.value));
  std::string digits = fmt::format("{:.{}f}", number.value, number.decimals);
  if (digits.starts_with('-')) digits = "−" + digits.substr(1);
  return digits;
}

Comparison compare(const Snapshot& there, const Snapshot& here) {
  Comparison c;
  if (status_of(there) != "ok" || status_of(here) != "ok") {
    c.rows.push_back({.label = "Launch",
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
    Comparison::Row row{.label = number->label,
                        .there = with_unit(first),
                        .here = with_unit(second),
                        .there_missing = first == nullptr,
                        .here_missing = second == nullptr};
    const bool both = first != nullptr && second != nullptr;
    row.differs = both && !number->of_device && row.there != row.here;
    any_differs = any_differs || row.differs;
    if (number->on_page || (second != nullptr && second->on_page) || row.differs) {
      c.rows.push_back(std::move(row));
    } else if (both) {
      spare.push_back(std::move(row));
    }
  }
  const std::size_t wanted = c.rows.size() < least_rows ? least_rows - c.rows.size() : 0;
  const std::size_t taken = std::min(wanted, spare.size());
  c.same_left_out = static_cast<std::size_t>(std::count_if(spare.begin() + static_cast<std::ptrdiff_t>(taken), spare.end(),
                                                           [](const Comparison::Row& row) { return row.there == row.here; }));
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
  c.verdict = say(c, there, here, any_differs);
  return c;
}

}  // namespace warpbook::app
