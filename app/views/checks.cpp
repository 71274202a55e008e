// What a check found: a row a case, and below the name of one that does not pass what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/flow.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/elements.h"

namespace warpbook::app {
namespace {

using lessons::Checks;
using Verdict = Checks::Verdict;

std::string_view words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passes";
    case Verdict::wrong:
      return "wrong result";
    case Verdict::finding:
      return "not safe";
    case Verdict::failed:
      return "launch failed";
    case Verdict::too_slow:
      return "does not end";
  }
  return {};
}

/// "128", or "(16, 16)", as between <<< and >>>.
std::string extent(const gpu::Dim3& size) {
  if (size.z != 1) return fmt::format("({}, {}, {})", size.x, size.y, size.z);
  return size.y != 1 ? fmt::format("({}, {})", size.x, size.y) : fmt::format("{}", size.x);
}

std::string launch_of(const Checks::Row& row) {
  const std::string shared = row.shared_bytes > 0 ? fmt::format(", {}", row.shared_bytes) : "";
  return fmt::format("<<<{}, {}{}>>>", extent(row.grid), extent(row.block), shared);
}

std::string value_of(const gpu::Scalar& scalar) {
  return gpu::element_text(scalar.type, std::as_bytes(std::span(&scalar.bits, 1)), 0);
}

std::string title_of(const Checks& checks) {
  const auto passed =
      std::count_if(checks.rows.begin(), checks.rows.end(), [](const Checks::Row& row) { return row.verdict == Verdict::passed; });
  const auto all = static_cast<std::ptrdiff_t>(checks.rows.size());
  if (passed == all) return all == 1 ? "The case passes" : fmt::format("All {} cases pass", all);
  return passed == 0 ? "No case passes yet" : fmt::format("{} of {} cases pass", passed, all);
}

void card(const Sheet& sheet, const Checks::Row& row, const Box& item) {
  const Theme& look = theme();
  std::vector<Fact> facts{{"blocks", extent(row.grid)}, {"threads a block", extent(row.block)}};
  if (row.shared_bytes > 0) facts.push_back({"shared bytes a block", grouped(row.shared_bytes)});
  if (row.wrong) {
    facts.push_back({"first wrong", fmt::format("{}[{}]", row.wrong->array, row.wrong->index)});
    facts.push_back({"should be", value_of(row.wrong->expected)});
    facts.push_back({"is", value_of(row.wrong->got), look.verdict.bad});
    facts.push_back({"wrong elements", fmt::format("{} of {}", grouped(static_cast<long long>(row.wrong->wrong)),
                                                   grouped(static_cast<long long>(row.wrong->elements)))});
  }
  fact_card(sheet, item, {}, row.name, words_of(row.verdict), facts);
}

}  // namespace

void draw_checks(const Checks& checks, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const float indent = px(24), pad = px(10);
  float launches = 0;  // the widest
  for (const Checks::Row& row : checks.rows) launches = std::max(launches, text_width(Face::digits, launch_of(row)));
  float y = sheet.at.y + title_row(sheet, title_of(checks), "each is a launch of its own");
  bool told = false;  // what is wrong; where there is little room, of the first case alone
  for (const Checks::Row& row : checks.rows) {
    const bool passed = row.verdict == Verdict::passed;
    const Box item{sheet.at.x, snap(y), sheet.right(), 0};
    hairline(sheet.draw, {sheet.at.x, item.y0}, {sheet.right(), item.y0}, look.background.line);
    y = item.y0 + pad;
    const ImVec2 mark(sheet.at.x + px(7), y + line_height(Face::body) / 2);
    if (passed)
      tick(sheet.draw, mark, px(11), look.verdict.good);
    else
      cross(sheet.draw, mark, px(9), look.verdict.bad);
    const float base = y + baseline(Face::body), verdict = sheet.right() - launches - px(16);
    text(sheet.draw, Face::digits, {sheet.right(), base - baseline(Face::digits)}, look.text.third, launch_of(row), Align::right);
    const std::string_view words = words_of(row.verdict);
    text(sheet.draw, Face::label, {verdict, base - baseline(Face::label)}, passed ? look.text.second : look.verdict.bad, words,
         Align::right);
    const float left = sheet.at.x + indent;
    text_clipped(sheet.draw, Face::body, {left, y}, verdict - text_width(Face::label, words) - px(16) - left, look.text.first,
                 row.name);
    y += line_height(Face::body);
    if (!row.message.empty() && !(told && state.shorter > 0)) {
      told = true;
      FlowStyle style = note_style();
      style.colour = look.text.second;
      y += px(4);
      y += draw_flow(sheet.draw, inline_code(row.message), {left, y}, sheet.right() - left, style);
    }
    y += pad;
    if (const Box all{item.x0, item.y0, item.x1, y}; mouse_over(all)) card(sheet, row, all);
  }
  hairline(sheet.draw, {sheet.at.x, snap(y)}, {sheet.right(), snap(y)}, look.background.line);
  end_view(sheet, y + px(1) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
