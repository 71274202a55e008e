#include "app/panels/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/panels/change_values.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Control;

constexpr float field_least = 88, field_most = 176;
constexpr float way_back_room = 20;  // beside a label, for what undoes a change

std::vector<Segment> segments_of(const Control& control) {
  std::vector<Segment> items;
  for (const Control::Option& option : control.options) {
    items.push_back({.name = "control/" + control.id + "/" + option.id, .label = say(option.label)});
  }
  return items;
}

/// A control and the width it has been given.
struct ControlCell {
  const Control* control = nullptr;
  float width = 0;
};

float least_width(const Control& control) {
  const float label = std::ceil(text_width(Face::label, say(control.label))) + px(way_back_room);
  switch (control.kind) {
    case Control::Kind::toggle:
      return std::max(label, px(36 + 10) + text_width(Face::body, say("Off")));
    case Control::Kind::choice: {
      float width = px(4);
      for (const float segment : segment_widths(segments_of(control), Face::label)) width += segment;
      return std::max(label, width);
    }
    case Control::Kind::integer:
    case Control::Kind::real:
      break;
  }
  return std::max(label, px(field_least));
}

bool is_field(const ControlCell& cell) {
  return cell.control->kind == Control::Kind::integer || cell.control->kind == Control::Kind::real;
}

/// Fields of a row become equally wide, as far as their labels and the room allow.
void share_out(std::vector<ControlCell>& row, float room) {
  std::vector<ControlCell*> fields;
  for (ControlCell& cell : row) {
    if (is_field(cell))
      fields.push_back(&cell);
    else
      room -= cell.width;
  }
  std::sort(fields.begin(), fields.end(), [](const ControlCell* a, const ControlCell* b) { return a->width > b->width; });
  // The widest first: what it needs beyond an equal share is not there for the others.
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const float equal = room / static_cast<float>(fields.size() - i);
    fields[i]->width = std::floor(std::max(fields[i]->width, std::min(equal, px(field_most))));
    room -= fields[i]->width;
  }
}

/// From left to right, a row at a time.
std::vector<std::vector<ControlCell>> rows_within(const std::vector<Control>& controls, float width) {
  const float gap = px(theme().space.gap);
  std::vector<std::vector<ControlCell>> rows;
  float used = 0;
  for (const Control& control : controls) {
    const float least = least_width(control);
    if (rows.empty() || used + gap + least > width) {
      rows.emplace_back();
      used = -gap;
    }
    rows.back().push_back({&control, least});
    used += gap + least;
  }
  return rows;
}

/// As few rows as fit; a control that would stand alone in the last one takes others with it. In each, fields share what is left
/// over.
std::vector<std::vector<ControlCell>> rows_of(const std::vector<Control>& controls, float width) {
  auto rows = rows_within(controls, width);
  for (float narrower = width; rows.size() > 1 && rows.back().size() == 1 && narrower > width / 2; narrower -= px(8)) {
    auto evener = rows_within(controls, narrower);
    if (evener.size() > rows.size()) break;
    rows = std::move(evener);
  }
  for (auto& row : rows) share_out(row, width - px(theme().space.gap) * static_cast<float>(row.size() - 1));
  return rows;
}

/// Beside a control's name, what takes its last change back, or makes it again; nothing where it did not change.
void reset_undo(Session& session, Actions& actions, const Control& control, ImVec2 at) {
  const LessonState& state = session.lesson();
  const lessons::Values* const later = state.history.later();
  const lessons::Values* const to = later != nullptr ? later : state.history.earlier();
  if (to == nullptr || to->real(control.id) == state.values.real(control.id)) return;
  const Theme& t = theme();
  const float side = px(16);
  const std::string name = (later != nullptr ? "redo/" : "undo/") + control.id;
  const HitArea touched = hit_area(name, rect(at.x, at.y, side, side));
  icon(canvas(), later != nullptr ? Icon::redo : Icon::undo, touched.area.centre(), px(12),
       touched.hovered ? t.text.first : t.hand.text);
  if (touched.focused) focus_ring(touched.area, t.hand.line, 2);
  const std::string value = lessons::value_text(control, to->real(control.id));
  hint(touched,
       later != nullptr ? say("Again {value} (Ctrl+Y)", "value"_a = value) : say("Back to {value} (Ctrl+Z)", "value"_a = value));
  if (!touched.clicked) return;
  if (touched.focused) focus_on((later != nullptr ? "undo/" : "redo/") + control.id);  // which takes its place
  if (later != nullptr)
    redo_values(session, actions);
  else
    undo_values(session, actions);
}

/// All controls, or those that the lesson needs at first and those that are no longer as they come.
std::vector<Control> needed(const Session& session) {
  std::vector<Control> controls = session.open->controls;
  const LessonState& state = session.lessons.at(session.open->id);
  if (only_needed(session))
    std::erase_if(controls, [&](const Control& c) { return c.later && state.values.real(c.id) == c.initial; });
  return controls;
}

/// The switch for what the lesson does not need at first, after the last control. Returns its lower edge.
float more(Session& session, ImVec2 after, ImVec2 at, float width) {
  LessonState& state = session.lesson();
  const std::string_view label = state.more ? say("Less") : say("More");
  const float wide = chip_width(label), field = px(theme().space.control_height);
  const bool fits = after.x + wide <= at.x + width;
  const ImVec2 corner = fits ? after : ImVec2(at.x, after.y + field + px(theme().space.gap));
  const Rect area = rect(corner.x, corner.y + (field - chip_height()) / 2, wide, chip_height());
  if (chip("more", area, label, false, true,
           state.more ? say("Only what this lesson needs") : say("All controls, figures by line and the whole report")))
    state.more = !state.more;
  return corner.y + field;
}

}  // namespace

float draw_controls(Session& session, Actions& actions, ImVec2 at, float width) {
  const Theme& t = theme();
  const std::vector<Control> controls = needed(session);
  lessons::Values values = session.lesson().values;
  const lessons::Values before = values;
  const float label = px(16), gap = px(t.space.gap), field = px(t.space.control_height);
  float y = at.y;
  bool wrong = false;
  ImVec2 end = at;  // of the last row's controls
  for (const auto& row : rows_of(controls, width)) {
    float x = at.x;
    for (const ControlCell& cell : row) {
      const Control& control = *cell.control;
      const std::string name = "control/" + control.id;
      const float named = text(ImGui::GetWindowDrawList(), Face::label, {x, y}, t.text.second, say(control.label));
      reset_undo(session, actions, control, {x + named + px(3), y});
      const Rect area = rect(x, y + label + px(t.space.gap_small), cell.width, field);
      switch (control.kind) {
        case Control::Kind::toggle:
          if (toggle(name, area, values.on(control.id))) values.set(control.id, values.on(control.id) ? 0 : 1);
          break;
        case Control::Kind::choice: {
          const auto items = segments_of(control);
          const auto chosen = static_cast<std::size_t>(values.integer(control.id));
          if (const auto clicked = segments(area, items, chosen, Face::label))
            values.set(control.id, static_cast<double>(*clicked));
          break;
        }
        case Control::Kind::integer:
        case Control::Kind::real: {
          const auto field_of = control.seed ? seed_field : number_field;
          if (const auto value = field_of(name, area, control, values.real(control.id), session.typing))
            values.set(control.id, *value);
          wrong = wrong || (session.typing.name == name && !session.typing.wrong.empty());
          break;
        }
      }
      x += cell.width + gap;
    }
    end = {x, y + label + px(t.space.gap_small)};
    y += label + px(t.space.gap_small) + field + (wrong ? px(24) : 0) + gap;
    wrong = false;
  }
  if (values != before) change_values(session, actions, values);
  if (has_more(*session.open)) y = std::max(y, more(session, end, at, width) + gap);
  return std::max(y - gap - at.y, 0.0f);
}

float draw_presets(Session& session, Actions& actions, ImVec2 at, float width, PresetPlace place) {
  const auto& presets = session.open->presets;
  if (presets.empty()) return 0;
  const float height = chip_height(), gap = px(theme().space.gap_small);
  float x = at.x, y = at.y;
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const std::string label = say(presets[i].label);
    const float wide = chip_width(label);
    if (x > at.x && x + wide > at.x + width) {
      if (place == PresetPlace::head) break;
      x = at.x;
      y += height + gap;
    }
    const Rect area = rect(x, y, wide, height);
    lessons::Values values = session.lesson().values;
    for (const auto& [id, value] : presets[i].values) values.set(id, value);
    const bool in_force = values == session.lesson().values;
    const std::string name = (place == PresetPlace::head ? "head/preset/" : "preset/") + std::to_string(i);
    if (chip(name, area, label, in_force)) {
      LessonState& state = session.lesson();
      state.bring_view = presets[i].view.empty() ? state.places.first_view : presets[i].view;
      if (!in_force) change_values(session, actions, values);
    }
    x += wide + gap;
  }
  return y + height - at.y;
}

}  // namespace warpbook::app
