#include "app/panels/kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/panels/report.h"
#include "app/session/comparison.h"
#include "app/ui/draw.h"
#include "app/ui/text_flow.h"
#include "app/ui/widgets.h"
#include "app/views/common_scale.h"

namespace warpbook::app {
namespace {

using lessons::Control;
using lessons::Number;

/// A control's value as the page shows it.
std::string setting_text(const Control& control, const lessons::Values& values) {
  const double value = values.real(control.id);
  if (control.kind == Control::Kind::toggle) return value != 0 ? "on" : "off";
  if (control.kind == Control::Kind::choice) {
    const auto option = static_cast<std::size_t>(value);
    if (option < control.options.size()) return control.options[option].label;
  }
  return field_text(value, control.kind);
}

std::string with_unit(const Number& number) { return printed(number) + (number.unit.empty() ? "" : " " + number.unit); }

std::string change_of(const Number& kept, const Number& now) {
  Number change = now;
  change.value = now.value - kept.value;
  if (!std::isfinite(change.value)) return {};
  const std::string words = printed(change);
  return change.value > 0 ? "+" + words : words;
}

const Number* number_of(const Snapshot& snapshot, const std::string& name) {
  const auto& numbers = snapshot.outcome->numbers;
  const auto it = std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.name == name; });
  return it == numbers.end() ? nullptr : &*it;
}

std::vector<BesideKept::Row> settings_beside(const Snapshot& kept, const Snapshot& now) {
  std::vector<BesideKept::Row> rows;
  for (const Control& control : now.lesson->controls) {
    BesideKept::Row row{control.label, setting_text(control, kept.values), setting_text(control, now.values)};
    if (row.kept != row.now) rows.push_back(std::move(row));
  }
  std::set<std::string> ids;
  for (const Snapshot* of : {&kept, &now})
    for (const auto& [id, words] : of->values.texts()) ids.insert(id);
  for (const std::string& id : ids)
    if (kept.values.text(id) != now.values.text(id))
      rows.push_back({id, std::string(kept.values.text(id)), std::string(now.values.text(id))});
  if (kept.text != now.text) rows.push_back({"Kernel", "as it was", "edited since"});
  if (kept.device != now.device) rows.push_back({"Device", kept.device, now.device});
  return rows;
}

std::vector<BesideKept::Row> numbers_beside(const Snapshot& kept, const Snapshot& now) {
  std::vector<BesideKept::Row> rows;
  const auto& numbers = now.outcome->numbers;
  const bool page_has_any = std::any_of(numbers.begin(), numbers.end(), [](const Number& n) { return n.on_page; });
  for (const Number& number : numbers) {
    const Number* const before = number_of(kept, number.name);
    BesideKept::Row row{number.label, before != nullptr ? with_unit(*before) : "not there", with_unit(number)};
    row.differs = row.kept != row.now;
    if (row.differs && before != nullptr) row.change = change_of(*before, number);
    if (page_has_any ? number.on_page : row.differs) rows.push_back(std::move(row));
  }
  return rows;
}

/// "line 9", "lines 9, 12"; "none found", "not observed".
std::string finding_text(const gpu::LaunchReport& report, gpu::FindingKind kind) {
  std::set<std::string> lines;
  std::size_t count = 0;
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind != kind) continue;
    ++count;
    if (finding.at.line > 0) lines.insert(std::to_string(finding.at.line));
  }
  if (count == 0) return std::string(observation_words(report.observed[kind]));
  if (lines.empty()) return "found";
  std::string words;
  for (const std::string& line : lines) words += (words.empty() ? "" : ", ") + line;
  return fmt::format("{} {}", lines.size() == 1 ? "line" : "lines", words);
}

std::vector<BesideKept::Row> findings_beside(const gpu::LaunchReport& kept, const gpu::LaunchReport& now) {
  std::vector<BesideKept::Row> rows;
  std::set<gpu::FindingKind> kinds;
  for (const gpu::LaunchReport* report : {&kept, &now})
    for (const gpu::Finding& finding : report->findings) kinds.insert(finding.kind);
  for (const gpu::FindingKind kind : kinds) {
    const auto has = [&](const gpu::LaunchReport& report) {
      return std::ranges::any_of(report.findings, [&](const gpu::Finding& finding) { return finding.kind == kind; });
    };
    BesideKept::Row row{std::string(finding_title(kind)), finding_text(kept, kind), finding_text(now, kind)};
    row.differs = row.kept != row.now;
    if (has(kept) && !has(now)) row.change = now.observed[kind] == gpu::Observation::none_found ? "gone" : "";
    if (!has(kept) && has(now)) row.change = "new";
    rows.push_back(std::move(row));
  }
  return rows;
}

/// How the card's columns lie.
struct Columns {
  float left = 0, label = 0, value = 0;
  std::array<float, 3> ends{};  // right edges of kept, now and change
};

Columns columns_of(float left, float right) {
  Columns c{.left = left, .label = (right - left) * 0.34f};
  c.value = (right - left - c.label) / 3;
  for (std::size_t i = 0; i < c.ends.size(); ++i) c.ends[i] = left + c.label + c.value * static_cast<float>(i + 1);
  return c;
}

void draw_row(const Columns& columns, float y, const BesideKept::Row& row, Face face, ImU32 ink) {
  const float high = px(theme().space.row_height);
  text_clipped(canvas(), Face::label, {columns.left, y + (high - line_height(Face::label)) / 2}, columns.label - px(8), ink,
               row.label);
  const std::array<std::string_view, 3> words{row.kept, row.now, row.change};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float wide = std::min(text_width(face, words[i]), columns.value - px(8));
    text_clipped(canvas(), face, {columns.ends[i] - wide, y + (high - line_height(face)) / 2}, wide + 1, ink, words[i]);
  }
}

/// The card's head: what it is, which views are drawn, and its ways out. Returns whether it is to go.
bool draw_head(LessonState& state, float left, float right, float y, bool same_run) {
  const Theme& t = theme();
  text(canvas(), Face::head, {left, y}, t.text.first, "Before and after");
  const float links = y + baseline(Face::head) - baseline(Face::label);
  constexpr std::string_view drop = "Drop", instead = "Keep the new one instead";
  float x = right - text_width(Face::label, drop);
  const bool gone = link("kept/drop", Face::label, {x, links}, drop, t.text.second, true);
  if (same_run) return gone;
  x -= px(20) + text_width(Face::label, instead);
  if (link("kept/instead", Face::label, {x, links}, instead, t.text.second, true)) state.kept = {.run = state.shown};
  return gone;
}

void draw_choice(LessonState& state, float left, float y) {
  static const std::array<Segment, 3> shows{Segment{.name = "kept/show_kept", .label = "Kept"},
                                            Segment{.name = "kept/show_now", .label = "Now"},
                                            Segment{.name = "kept/show_both", .label = "Both"}};
  const float words = text_width(Face::label, "Views show") + px(12);
  text(canvas(), Face::label, {left, y + (px(28) - line_height(Face::label)) / 2}, theme().text.second, "Views show");
  float wide = px(4);
  for (const float each : segment_widths(shows, Face::label)) wide += each;
  const Rect area = rect(left + words, y, wide, px(28));
  if (const auto chosen = segments(area, shows, static_cast<std::size_t>(state.kept->show), Face::label))
    state.kept->show = static_cast<LessonState::Kept::Show>(*chosen);
}

}  // namespace

BesideKept beside(const Snapshot& kept, const Snapshot& now) {
  BesideKept b{.settings = settings_beside(kept, now), .numbers = {}, .findings = {}};
  if (!kept.outcome || !now.outcome) return b;
  b.numbers = numbers_beside(kept, now);
  b.findings = findings_beside(kept.outcome->report, now.outcome->report);
  return b;
}

std::vector<KeptView> views_of(LessonState& state, const std::string& view) {
  if (!state.kept || !state.shown || state.kept->run == state.shown) return {};
  LessonState::Kept& kept = *state.kept;
  const lessons::Figure* const before = find_figure(*kept.run, view);
  const lessons::Figure* const after = find_figure(*state.shown, view);
  if (before == nullptr || after == nullptr) return {};
  if (kept.scaled_with != state.shown) {
    kept.scaled.clear();
    kept.scaled_with = state.shown;
  }
  auto pair = kept.scaled.find(view);
  if (pair == kept.scaled.end()) pair = kept.scaled.emplace(view, on_common_scale(*before, *after)).first;
  std::vector<KeptView> views;
  if (kept.show != LessonState::Kept::Show::now) views.push_back({&pair->second.first, kept.run.get(), true});
  if (kept.show != LessonState::Kept::Show::kept) views.push_back({&pair->second.second, state.shown.get(), false});
  return views;
}

bool can_keep(const LessonState& state) { return !state.kept && state.shown && state.shown->outcome && !state.failed(); }

void keep(Session& session) {
  session.lesson().kept = {.run = session.lesson().shown};
  session.lesson().bring_kept = true;
}

float draw_kept(LessonState& state, ImVec2 at, float width) {
  if (!state.kept || !state.shown || state.failed()) return 0;
  const Theme& t = theme();
  const bool same_run = state.kept->run == state.shown;
  const BesideKept b = beside(*state.kept->run, *state.shown);
  const std::string_view sentence = same_run
                                        ? "This run is kept. Change a control or the kernel and run again: both stand here then."
                                    : b.settings.empty() ? "Both runs have the same settings and the same kernel."
                                                         : std::string_view();
  const float row = px(t.space.row_height), line = line_height(Face::label);
  std::array<const std::vector<BesideKept::Row>*, 3> groups{&b.settings, &b.numbers, &b.findings};
  float height = px(12) + line_height(Face::head) + px(8) + (sentence.empty() ? 0 : line + px(8)) + px(12);
  if (!same_run) {
    height += row + px(36);
    for (const auto* group : groups)
      if (!group->empty()) height += static_cast<float>(group->size()) * row + px(9);
  }
  canvas()->AddRectFilled(at, {at.x + width, at.y + height}, t.background.raised, px(t.radius.box));
  const float left = at.x + px(16), right = at.x + width - px(16);
  float y = at.y + px(12);
  const bool gone = draw_head(state, left, right, y, same_run);
  y += line_height(Face::head) + px(8);
  if (!sentence.empty()) {
    text_clipped(canvas(), Face::label, {left, y}, right - left, t.text.second, sentence);
    y += line + px(8);
  }
  if (!same_run) {
    const Columns columns = columns_of(left, right);
    draw_row(columns, y, {"", "Kept", "Now", "Change"}, Face::label_strong, t.text.first);
    y += row;
    for (const auto* group : groups) {
      if (group->empty()) continue;
      hairline(canvas(), {left, y + px(4)}, {right, y + px(4)}, t.background.line);
      y += px(9);
      for (const BesideKept::Row& each : *group) {
        draw_row(columns, y, each, group == &b.numbers ? Face::digits : Face::label, each.differs ? t.text.first : t.text.second);
        y += row;
      }
    }
    draw_choice(state, left, y + px(4));
  }
  name_widget("kept/table", {at, {at.x + width, at.y + height}});
  if (gone) state.kept.reset();
  return height;
}

}  // namespace warpbook::app
