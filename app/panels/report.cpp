#include "app/panels/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/panels/copy.h"
#include "app/panels/glossary.h"
#include "app/panels/look_inside.h"
#include "app/session/editor_notes.h"
#include "app/text/numbers.h"
#include "gpu/finding_kinds.h"
#include "gpu/message.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

using gpu::FindingKind;
using gpu::FindingRow;

/// The report's rows of a group, from the top.
std::vector<const FindingRow*> rows_of(gpu::FindingGroup group) {
  std::vector<const FindingRow*> rows;
  for (const FindingRow& row : gpu::all_finding_kinds())
    if (row.group == group) rows.push_back(&row);
  std::ranges::sort(rows, {}, &FindingRow::place);
  return rows;
}

constexpr float low_window = 640;  // CSS pixels: below, findings only
constexpr float report_head = 48, narrow_column = 190;

std::size_t lines_with(const gpu::LaunchReport& report, FindingKind kind) {
  std::set<std::pair<std::string, std::uint32_t>> lines;
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind == kind) lines.emplace(finding.at.file, finding.at.line);
  }
  return lines.size();
}

/// What a row means, and what stands at its right.
std::string explained(const FindingRow& row, gpu::Observation state) {
  switch (state) {
    case gpu::Observation::not_observed:
      return say("{meaning}\nNobody has looked for them yet.", "meaning"_a = say(row.meaning));
    case gpu::Observation::none_found:
      return say("{meaning}\nThe device looked for them, and this run has none.", "meaning"_a = say(row.meaning));
    case gpu::Observation::incomplete:
      return say("{meaning}\nThe launch was stopped before its end. Until then the device has found none.",
                 "meaning"_a = say(row.meaning));
    case gpu::Observation::observed:
      break;
  }
  return say("{meaning}\nThe kernel's lines say where.", "meaning"_a = say(row.meaning));
}

/// All findings of a kind, a line each, as they are copied; or that there is none.
std::string row_words(const gpu::LaunchReport* report, const FindingRow& row) {
  std::string words;
  if (report != nullptr) {
    for (const gpu::Finding& finding : report->findings) {
      if (finding.kind == row.kind) words += (words.empty() ? "" : "\n") + finding_words(finding, *report);
    }
  }
  const auto state = report != nullptr ? report->observed[row.kind] : gpu::Observation::not_observed;
  return words.empty() ? fmt::format("{}: {}", say(row.title_of_many), observation_words(state)) : words;
}

/// One kind of finding, which explains itself. True: it was clicked.
bool kind_row(Session& session, const gpu::LaunchReport* report, const FindingRow& row, float x, float y, float width) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto state = report != nullptr ? report->observed[row.kind] : gpu::Observation::not_observed;
  const bool found = state == gpu::Observation::observed;
  const ImU32 colour = theme().finding[static_cast<std::size_t>(row.kind)];
  const float middle = y + px(t.space.row_height) / 2;
  const float line = middle - line_height(Face::label) / 2;
  finding_glyph(draw, row.kind, {x + px(7), middle}, px(14), found ? colour : t.text.disabled);
  text(draw, Face::label, {x + px(24), line}, found ? t.text.first : t.text.second,
       width < px(narrow_column) ? say(row.short_title) : say(row.title_of_many));
  if (found) {
    const std::size_t lines = lines_with(*report, row.kind);
    text(draw, Face::label_strong, {x + width, line}, colour, say_many(lines, "{n} line", "{n} lines", "n"_a = lines),
         Align::right);
  } else {
    const float words = text(draw, Face::label, {x + width, line}, t.text.third, observation_words(state), Align::right);
    if (state == gpu::Observation::none_found) tick(draw, {x + width - words - px(12), middle}, px(11), t.verdict.good);
  }
  const std::string name = fmt::format("report/{}", gpu::name_of(row.kind));
  const HitArea at = hit_area(name, rect(x, y, width, px(t.space.row_height)));
  copyable(session, name, at.area, {.words = [&] { return row_words(report, row); }});
  if (at.focused) focus_ring(at.area, t.hand.line, 2);
  explain(at, explained(row, state));
  return at.clicked;
}

/// The report's two columns: what the lesson needs at first, and whatever was found; else everything.
struct ShownRows {
  std::vector<const FindingRow*> left, right;
  std::size_t high = 0;  // rows, with one for what the report has no room for
};

bool leaves_out(const gpu::LaunchReport* report) {
  return report != nullptr && (report->findings_left_out > 0 || !report->remarks.empty());
}

ShownRows shown_rows(const Session& session, const gpu::LaunchReport* report) {
  const bool few = only_needed(session);
  const auto shown = [&](gpu::FindingGroup group) {
    std::vector<const FindingRow*> rows = rows_of(group);
    std::erase_if(rows, [&](const FindingRow* row) {
      const bool first = row->kind == FindingKind::memory || row->kind == FindingKind::race;
      const bool found = report != nullptr && report->observed[row->kind] == gpu::Observation::observed;
      return few && !first && !found;
    });
    return rows;
  };
  ShownRows rows{.left = shown(gpu::FindingGroup::mistake), .right = shown(gpu::FindingGroup::cost)};
  while (rows.left.size() > rows.right.size() + 1) {
    rows.right.insert(rows.right.begin(), rows.left.back());
    rows.left.pop_back();
  }
  rows.high = std::max(rows.left.size(), rows.right.size());
  if (rows.left.size() <= rows.right.size() && leaves_out(report)) ++rows.high;
  return rows;
}

float figure_rows(const Session& session) { return only_needed(session) ? 1.0f : 3.0f; }

/// "64", "250×125".
std::string shape(const gpu::Dim3& d) {
  if (d.y == 1 && d.z == 1) return grouped(d.x);
  if (d.z == 1) return fmt::format("{}×{}", d.x, d.y);
  return fmt::format("{}×{}×{}", d.x, d.y, d.z);
}

std::string bytes(std::uint32_t count) {
  return count >= 10240 && count % 1024 == 0 ? say("{n} KB", "n"_a = count / 1024) : say("{n} B", "n"_a = grouped(count));
}

struct FigureRow {
  std::string_view label, short_label;
  std::string value;
};

std::vector<FigureRow> figures(const gpu::LaunchReport& report) {
  std::vector<FigureRow> rows;
  rows.push_back({say("Grid × block"), say("Launch"), shape(report.grid) + " × " + shape(report.block)});
  rows.push_back({say("Registers a thread"), say("Registers"),
                  report.registers ? std::to_string(*report.registers) : std::string(say("not known"))});
  rows.push_back(
      {say("Warps"), say("Warps"), grouped(static_cast<long long>(report.grid.count() * ((report.block.count() + 31) / 32)))});
  rows.push_back(
      {say("Thread instructions"), say("Instructions"),
       report.thread_instructions > 0 ? grouped(static_cast<long long>(report.thread_instructions)) : say("not observed")});
  if (report.cycles)
    rows.push_back({say("Cycles (model)"), say("Cycles (model)"), grouped(static_cast<long long>(*report.cycles))});
  rows.push_back({say("Shared a block"), say("Shared"), bytes(report.shared_bytes)});
  return rows;
}

/// A quiz, or lines to mark: there is no launch to report of.
bool launches_nothing(const Session& session) {
  return session.open->exercise != nullptr && !lessons::launches(*session.open->exercise);
}

const gpu::LaunchReport* report_of(const Session& session) {
  const lessons::Outcome* const outcome = session.lessons.at(session.open->id).observed();
  return outcome != nullptr ? &outcome->report : nullptr;
}

std::string head_words(const LessonState& state) {
  if (!state.reported) return say("appears after the first run");
  if (const std::uint32_t orders = state.reported->outcome->report.orders; orders > 1)
    return say("found in any of {orders} orders", "orders"_a = orders);
  if (state.inside) return say("what the virtual GPU observed");
  if (state.latest != state.reported) return say("of the last run that worked");
  return state.reported->on_gpu ? say("hardware observes none of it") : say("what the device observed");
}

/// What the report has no room for, and what nobody could watch: at the end of a row.
void draw_left_out(ImDrawList* draw, const gpu::LaunchReport& report, const Rect& row) {
  std::vector<std::string> words;
  if (report.findings_left_out > 0)
    words.push_back(say("{n} more left out", "n"_a = grouped(static_cast<long long>(report.findings_left_out))));
  if (!report.remarks.empty()) words.emplace_back(say("watched in part"));
  const std::string all = fmt::format("{}", fmt::join(words, ", "));
  text(draw, Face::label, {row.b.x, row.a.y + (row.height() - line_height(Face::label)) / 2}, theme().text.third, all,
       Align::right);
  if (report.remarks.empty()) return;
  const HitArea over = hit_area("remarks", {{row.b.x - text_width(Face::label, all), row.a.y}, row.b}, false);
  std::string remarks;
  for (const Message& remark : report.remarks) remarks += (remarks.empty() ? "" : "\n") + say(remark);
  std::erase(remarks, '`');  // a hint has one typeface
  hint(over, remarks);
}

}  // namespace

std::string_view finding_title(gpu::FindingKind kind) { return say(gpu::row_of(kind).title_of_many); }

std::string_view observation_words(gpu::Observation state) {
  switch (state) {
    case gpu::Observation::not_observed:
      return say("not observed");
    case gpu::Observation::none_found:
      return say("none found");
    case gpu::Observation::incomplete:
      return "incomplete";
    case gpu::Observation::observed:
      break;
  }
  return "found";
}

float report_height(const Session& session, float window_height) {
  if (launches_nothing(session)) return 0;
  const float row = px(theme().space.row_height);
  const gpu::LaunchReport* const report = report_of(session);
  float height = px(report_head) + static_cast<float>(shown_rows(session, report).high) * row + px(12);
  if (window_height > px(low_window) && report != nullptr) height += px(8) + figure_rows(session) * row + px(8);
  return height;
}

void draw_report(Session& session, Actions& actions, const Rect& area) {
  if (launches_nothing(session)) return;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const gpu::LaunchReport* report = report_of(session);
  const float row = px(t.space.row_height), gap = px(32);
  const float x = area.a.x + px(panel_padding), width = area.width() - 2 * px(panel_padding), column = (width - gap) / 2;
  hairline(draw, area.a, {area.b.x, area.a.y}, t.background.line);
  text(draw, Face::head, {x, area.a.y + px(12)}, t.text.first, say("Report"));
  // The button that observes what is not observed stands where "not observed" is read.
  const bool offered = draw_look_inside_button(session, actions, {x + width, area.a.y + px(24)});
  const std::string words = head_words(session.lesson());
  const float title = text_width(Face::head, say("Report"));
  if (offered) {
    text(draw, Face::label, {x + title + px(12), area.a.y + px(16)}, t.text.third, words);
  } else {
    text(draw, Face::label, {x + width, area.a.y + px(16)}, t.text.third, words, Align::right);
  }
  float y = area.a.y + px(report_head - 6);
  const ShownRows rows = shown_rows(session, report);
  std::string_view term;
  const auto column_of = [&](std::span<const FindingRow* const> kinds, float at) {
    float line = y;
    for (const FindingRow* each : kinds) {
      if (kind_row(session, report, *each, at, line, column)) term = each->term;
      line += row;
    }
  };
  column_of(rows.left, x);
  column_of(rows.right, x + column + gap);
  if (!term.empty()) open_glossary(session, term);
  y += static_cast<float>(rows.high) * row;
  if (report != nullptr) draw_left_out(draw, *report, {{x, y - row}, {x + width, y}});
  y += px(8);
  if (report == nullptr || y + figure_rows(session) * row > area.b.y) return;
  hairline(draw, {x, y}, {x + width, y}, t.background.line);
  y += px(8);
  std::vector<FigureRow> numbers = figures(*report);
  if (only_needed(session))
    std::erase_if(numbers, [](const FigureRow& f) { return f.label != "Grid × block" && f.label != "Warps"; });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float left_edge = x + (i % 2 == 0 ? 0 : column + gap), line = y + static_cast<float>(i / 2) * row + (row - px(16)) / 2;
    const float room = column - text_width(Face::digits, numbers[i].value) - px(6);
    text(draw, Face::label, {left_edge, line}, t.text.third,
         text_width(Face::label, numbers[i].label) <= room ? numbers[i].label : numbers[i].short_label);
    text(draw, Face::digits, {left_edge + column, line}, t.text.first, numbers[i].value, Align::right);
    const std::string name = fmt::format("report/figure/{}", numbers[i].label);
    const Rect figure = rect(left_edge, y + static_cast<float>(i / 2) * row, column, row);
    copy_stop(name, figure);
    copyable(session, name, figure, {.words = [&] { return fmt::format("{}: {}", numbers[i].label, numbers[i].value); }});
  }
}

}  // namespace warpbook::app
