// The kinds of findings: findings.def as a table.
//
//     for (const FindingRow& row : all_finding_kinds()) draw(say(row.title_of_many), observed[row.kind]);
//     Result<Observe> observe = observe_named("memory,race");
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpu/device.h"
#include "gpu/message.h"
#include "gpu/report.h"

namespace warpbook::gpu {

enum class FindingGroup { mistake, cost };
enum class FindingGlyph { octagon, diamond, ring, bars, broken_lines, columns, fork };

struct FindingRow {
  FindingKind kind;
  std::string_view name;  // of --observe and JSON
  FindingGroup group;
  ToSay title, title_of_many, short_title;
  FindingGlyph glyph;
  unsigned place;         // of its row in its group, in the report panel
  std::string_view term;  // its entry in the glossary
  ToSay meaning;          // what the device looks for
};

/// In the order of FindingKind.
[[nodiscard]] std::span<const FindingRow> all_finding_kinds();
[[nodiscard]] const FindingRow& row_of(FindingKind kind);
[[nodiscard]] std::optional<FindingKind> finding_kind(std::string_view name);
/// "memory, race, init …"
[[nodiscard]] std::string finding_names(std::string_view separator = ", ");

/// What `--observe` asks for: "all", "none", or names with commas between them. Error: a sentence that names the word that is none.
[[nodiscard]] Result<Observe> observe_named(std::string_view list);

}  // namespace warpbook::gpu
