#include "app/panels/reference_run.h"

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
#include "gpu/message.h"

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
    if (option < control.options.size()) return say(control.options[option].label);
  }
  return field_text(value, control.kind);
}

std::string with_unit(const Number& number) { return printed(number) + (number.unit.empty() ? "" : " " + number.unit); }

std::string change_of(const Number& reference, const Number& now) {
  Number change = now;
  change.value = now.value - reference.value;
  if (!std::isfinite(change.value)) return {};
  const std::string words = printed(change);
  return change.value > 0 ? "+" + words : words;
}

const Number* number_of(const Snapshot& snapshot, const std::string& name) {
  const auto& numbers = snapshot.outcome->numbers;
  const auto it = std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.name == name; });
  return it == numbers.end() ? nullptr : &*it;
}

std::vector<ReferenceComparison::Row> settings_beside(const Snapshot& reference, const Snapshot& now) {
  std::vector<ReferenceComparison::Row> rows;
  for (const Control& control : now.lesson->controls) {
    ReferenceComparison::Row row{say(control.label), setting_text(control, reference.values), setting_text(control, now.values)};
    if (row.reference != row.now) rows.push_back(std::move(row));
  }
  std::set<std::string> ids;
  for (const Snapshot* of : {&reference, &now})
    for (const auto& [id, words] : of->values.texts()) ids.insert(id);
  for (const std::string& id : ids)
    if (reference.values.text(id) != now.values.text(id))
      rows.push_back({id, std::string(reference.values.text(id)), std::string(now.values.text(id))});
  if (reference.text != now.text) rows.push_back({say("Kernel"), say("as it was"), say("edited since")});
  if (reference.device != now.device) rows.push_back({say("Device"), reference.device, now.device});
  return rows;
}

std::vector<ReferenceComparison::Row> numbers_beside(const Snapshot& reference, const Snapshot& now) {
  std::vector<ReferenceComparison::Row> rows;
  const auto& numbers = now.outcome->numbers;
  const bool page_has_any = std::any_of(numbers.begin(), numbers.end(), [](const Number& n) { return n.on_page; });
  for (const Number& number : numbers) {
    const Number* const before = number_of(reference, number.name);
    ReferenceComparison::Row row{say(number.label), before != nullptr ? with_unit(*before) : std::string(say("not there")),
                                 with_unit(number)};
    row.differs = row.reference != row.now;
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
  if (lines.empty()) return say("found");
  std::string words;
  for (const std::string& line : lines) words += (words.empty() ? "" : ", ") + line;
  return say_many(lines.size(), "line {lines}", "lines {lines}", "lines"_a = words);
}

std::vector<ReferenceComparison::Row> findings_beside(const gpu::LaunchReport& reference, const gpu::LaunchReport& now) {
  std::vector<ReferenceComparison::Row> rows;
  std::set<gpu::FindingKind> kinds;
  for (const gpu::LaunchReport* report : {&reference, &now})
    for (const gpu::Finding& finding : report->findings) kinds.insert(finding.kind);
  for (const gpu::FindingKind kind : kinds) {
    const auto has = [&](const gpu::LaunchReport& report) {
      return std::ranges::any_of(report.findings, [&](const gpu::Finding& finding) { return finding.kind == kind; });
    };
    ReferenceComparison::Row row{std::string(finding_title(kind)), finding_text(reference, kind), finding_text(now, kind)};
    row.differs = row.reference != row.now;
    if (has(reference) && !has(now)) row.change = now.observed[kind] == gpu::Observation::none_found ? say("gone") : "";
    if (!has(reference) && has(now)) row.change = say("new");
    rows.push_back(std::move(row));
  }
  return rows;
}

/// How the card's columns lie.
struct ReferenceColumns {
  float left = 0, label = 0, value = 0;
  std::array<float, 3> ends{};  // right edges of reference, now and change
};

ReferenceColumns columns_of(float left, float right) {
  ReferenceColumns c{.left = left, .label = (right - left) * 0.34f};
  c.value = (right - left - c.label) / 3;
  for (std::size_t i = 0; i < c.ends.size(); ++i) c.ends[i] = left + c.label + c.value * static_cast<float>(i + 1);
  return c;
}

void draw_row(const ReferenceColumns& columns, float y, const ReferenceComparison::Row& row, Face face, ImU32 ink) {
  const float high = px(theme().space.row_height);
  text_clipped(canvas(), Face::label, {columns.left, y + (high - line_height(Face::label)) / 2}, columns.label - px(8), ink,
               row.label);
  const std::array<std::string_view, 3> words{row.reference, row.now, row.change};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float wide = std::min(text_width(face, words[i]), columns.value - px(8));
    text_clipped(canvas(), face, {columns.ends[i] - wide, y + (high - line_height(face)) / 2}, wide + 1, ink, words[i]);
  }
}

/// The card's head: what it is, which views are drawn, and its ways out. Returns whether it is to go.
bool draw_head(LessonState& state, float left, float right, float y, bool same_run) {
  const Theme& t = theme();
  text(canvas(), Face::head, {left, y}, t.text.first, say("Before and after"));
  const float links = y + baseline(Face::head) - baseline(Face::label);
  const Wording drop = say("Drop"), instead = say("Keep the new one instead");
  float x = right - text_width(Face::label, drop);
  const bool gone = link("kept/drop", Face::label, {x, links}, drop, t.text.second, true);
  if (same_run) return gone;
  x -= px(20) + text_width(Face::label, instead);
  if (link("kept/instead", Face::label, {x, links}, instead, t.text.second, true)) state.reference = {.run = state.shown};
  return gone;
}

void draw_choice(LessonState& state, float left, float y) {
  const std::array<Segment, 3> shows{Segment{.name = "kept/show_kept", .label = say("Kept")},
                                     Segment{.name = "kept/show_now", .label = say("Now")},
                                     Segment{.name = "kept/show_both", .label = say("Both")}};
  const float words = text_width(Face::label, say("Views show")) + px(12);
  text(canvas(), Face::label, {left, y + (px(28) - line_height(Face::label)) / 2}, theme().text.second, say("Views show"));
  float wide = px(4);
  for (const float each : segment_widths(shows, Face::label)) wide += each;
  const Rect area = rect(left + words, y, wide, px(28));
  if (const auto chosen = segments(area, shows, static_cast<std::size_t>(state.reference->show), Face::label))
    state.reference->show = static_cast<LessonState::Reference::Show>(*chosen);
}

}  // namespace

ReferenceComparison compare_with_reference(const Snapshot& reference, const Snapshot& now) {
  ReferenceComparison b{.settings = settings_beside(reference, now), .numbers = {}, .findings = {}};
  if (!reference.outcome || !now.outcome) return b;
  b.numbers = numbers_beside(reference, now);
  b.findings = findings_beside(reference.outcome->report, now.outcome->report);
  return b;
}

std::vector<ReferenceView> views_of(LessonState& state, const std::string& view) {
  if (!state.reference || !state.shown || state.reference->run == state.shown) return {};
  LessonState::Reference& reference = *state.reference;
  const lessons::Figure* const before = find_figure(*reference.run, view);
  const lessons::Figure* const after = find_figure(*state.shown, view);
  if (before == nullptr || after == nullptr) return {};
  if (reference.scaled_with != state.shown) {
    reference.scaled.clear();
    reference.scaled_with = state.shown;
  }
  auto pair = reference.scaled.find(view);
  if (pair == reference.scaled.end()) pair = reference.scaled.emplace(view, on_common_scale(*before, *after)).first;
  std::vector<ReferenceView> views;
  if (reference.show != LessonState::Reference::Show::now) views.push_back({&pair->second.first, reference.run.get(), true});
  if (reference.show != LessonState::Reference::Show::reference) views.push_back({&pair->second.second, state.shown.get(), false});
  return views;
}

bool can_set_reference(const LessonState& state) {
  return !state.reference && state.shown && state.shown->outcome && !state.failed();
}

void set_reference(Session& session) {
  session.lesson().reference = {.run = session.lesson().shown};
  session.lesson().bring_reference = true;
}

float draw_reference(LessonState& state, ImVec2 at, float width) {
  if (!state.reference || !state.shown || state.failed()) return 0;
  const Theme& t = theme();
  const bool same_run = state.reference->run == state.shown;
  const ReferenceComparison b = compare_with_reference(*state.reference->run, *state.shown);
  const std::string_view sentence =
      same_run             ? say("This run is kept. Change a control or the kernel and run again: both stand here then.")
      : b.settings.empty() ? say("Both runs have the same settings and the same kernel.")
                           : std::string_view();
  const float row = px(t.space.row_height), line = line_height(Face::label);
  std::array<const std::vector<ReferenceComparison::Row>*, 3> groups{&b.settings, &b.numbers, &b.findings};
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
    const ReferenceColumns columns = columns_of(left, right);
    draw_row(columns, y, {"", say("Kept"), say("Now"), say("Change")}, Face::label_strong, t.text.first);
    y += row;
    for (const auto* group : groups) {
      if (group->empty()) continue;
      hairline(canvas(), {left, y + px(4)}, {right, y + px(4)}, t.background.line);
      y += px(9);
      for (const ReferenceComparison::Row& each : *group) {
        draw_row(columns, y, each, group == &b.numbers ? Face::digits : Face::label, each.differs ? t.text.first : t.text.second);
        y += row;
      }
    }
    draw_choice(state, left, y + px(4));
  }
  name_widget("kept/table", {at, {at.x + width, at.y + height}});
  if (gone) state.reference.reset();
  return height;
}

}  // namespace warpbook::app
