#include "gpu/finding_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbook::gpu {
namespace {

constexpr std::array<FindingRow, finding_kinds> finding_rows{{
#define WARPBOOK_FINDING(id, group, title, title_of_many, short_title, glyph, place, term, meaning, detector, events)          \
  {FindingKind::id, #id,  FindingGroup::group, to_say(title), to_say(title_of_many), to_say(short_title), FindingGlyph::glyph, \
   place,           term, to_say(meaning)},
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
}};

}  // namespace

std::span<const FindingRow> all_finding_kinds() { return finding_rows; }
const FindingRow& row_of(FindingKind kind) { return finding_rows[static_cast<std::size_t>(kind)]; }
std::string_view name_of(FindingKind kind) { return row_of(kind).name; }

std::optional<FindingKind> finding_kind(std::string_view name) {
  const auto row = std::ranges::find(finding_rows, name, &FindingRow::name);
  return row == finding_rows.end() ? std::nullopt : std::optional(row->kind);
}

std::string finding_names(std::string_view separator) {
  std::string names;
  for (const FindingRow& row : finding_rows) names.append(names.empty() ? "" : separator).append(row.name);
  return names;
}

Result<Observe> observe_named(std::string_view list) {
  if (list == "none") return Observe{};
  if (list == "all") return Observe::all();
  Observe observe;
  for (std::string_view rest = list;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const auto kind = finding_kind(word);
    if (!kind)
      return failure("usage",
                     fmt::format("--observe does not know '{}'. It takes all, none, or some of {}. Example: --observe memory,race.",
                                 word, finding_names()));
    observe[*kind] = true;
    if (comma == std::string_view::npos) return observe;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace warpbook::gpu
