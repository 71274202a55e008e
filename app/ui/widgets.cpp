#include "app/ui/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/ui/text_input.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

void text_in_the_middle(const Rect& area, Face face, ImU32 colour, std::string_view words) {
  text(canvas(), face, {area.centre().x, area.centre().y - line_height(face) / 2}, colour, words, Align::centre);
}

}  // namespace

float chip_width(std::string_view label) { return std::ceil(text_width(Face::label, label)) + px(24); }
float chip_height() { return px(28); }

bool chip(std::string_view name, const Rect& area, std::string_view label, bool on, bool enabled, std::string_view why) {
  const Theme& t = theme();
  const HitArea at = hit_area(name, area, enabled);
  canvas()->AddRectFilled(area.a, area.b, enabled ? fill_of(at) : t.background.control, px(t.radius.control));
  if (on) canvas()->AddRectFilled({area.a.x, area.b.y - px(2)}, area.b, t.hand.line, px(1));
  const ImU32 ink = !enabled ? t.text.disabled : on ? t.text.first : t.text.second;
  text(canvas(), Face::label, {area.centre().x, area.centre().y - line_height(Face::label) / 2}, ink, label, Align::centre);
  if (at.focused) focus_ring(area, t.hand.line, t.radius.control);
  hint(at, why);
  return at.clicked;
}

bool list_row(const std::string& name, std::string_view label, bool chosen, float width, std::string_view why_not) {
  const Theme& t = theme();
  const bool enabled = why_not.empty();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect item = rect(at.x, at.y, width, px(30));
  const HitArea touched = hit_area(name, item, enabled);
  if (touched.hovered && enabled) canvas()->AddRectFilled(item.a, item.b, t.background.hover, px(t.radius.control));
  if (chosen) tick(canvas(), {item.a.x + px(14), item.centre().y}, px(11), t.hand.line);
  text(canvas(), chosen ? Face::label_strong : Face::label, {item.a.x + px(30), item.centre().y - line_height(Face::label) / 2},
       enabled ? t.text.first : t.text.disabled, label);
  if (touched.focused) focus_ring(item, t.hand.line, t.radius.control);
  hint(touched, why_not, HintAt::beside);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, px(30)});
  return touched.clicked;
}

std::string field_text(double value, lessons::Control::Kind kind) {
  if (kind == lessons::Control::Kind::integer) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

double position_of(const lessons::Control& control, double value) {
  const double least = control.least, most = control.most;
  if (most <= least) return 0;
  double position = (value - least) / (most - least);
  // A range that starts at 0 has no logarithm; its slider then starts at its step.
  if (control.logarithmic) {
    const double low = least > 0 ? least : control.step;
    position = value <= low ? 0 : std::log(value / low) / std::log(most / low);
  }
  return std::clamp(position, 0.0, 1.0);
}

double value_at(const lessons::Control& control, double position) {
  position = std::clamp(position, 0.0, 1.0);
  double value = control.least + position * (control.most - control.least);
  if (control.logarithmic) {
    const double low = control.least > 0 ? control.least : control.step;
    // Powers of two between the ends, which are not always powers themselves.
    if (position > 0 && position < 1) value = std::exp2(std::round(std::log2(low) + position * std::log2(control.most / low)));
  } else if (control.step > 0) {
    value = control.least + std::round((value - control.least) / control.step) * control.step;
    // 0.15000000000000002 helps nobody.
    value = std::round(value * 1e9) / 1e9;
  }
  return std::clamp(value, control.least, control.most);
}

double stepped(const lessons::Control& control, double value, int steps) {
  for (int i = 0; i < std::abs(steps); ++i) {
    const bool up = steps > 0;
    if (control.logarithmic && value > 0) {
      const double exponent = std::log2(value);
      value = std::exp2(up ? std::floor(exponent + 1e-9) + 1 : std::ceil(exponent - 1e-9) - 1);
    } else {
      // A slider without steps of its own has a hundred.
      const double step = control.step > 0 ? control.step : (control.most - control.least) / 100;
      value = std::round((value + (up ? step : -step)) * 1e9) / 1e9;
    }
    // Below a logarithmic range's first step lies its end.
    if (control.logarithmic && value < std::max(control.least, control.step)) value = control.least;
  }
  return std::clamp(value, control.least, control.most);
}

std::optional<double> parse_number(std::string_view words) {
  std::string plain;
  for (const char c : words) {
    if (c != ' ' && c != ',') plain += c;
  }
  if (plain.starts_with("−")) plain.replace(0, std::string_view("−").size(), "-");
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string range_problem(const lessons::Control& control, double value) {
  if (value > control.most) return say("{value} at most", "value"_a = field_text(control.most, control.kind));
  if (value < control.least) return say("{value} at least", "value"_a = field_text(control.least, control.kind));
  if (control.kind == lessons::Control::Kind::integer && value != std::floor(value)) return say("a whole number");
  return {};
}

namespace {

/// The value's place, as a line under the field with a tick at its end.
void value_line(const Rect& area, double position, ImU32 colour) {
  const float thick = px(3), high = px(10);
  const float x = snap(area.a.x + static_cast<float>(position) * (area.width() - thick));
  canvas()->AddRectFilled({area.a.x, area.b.y - thick}, {x + thick, area.b.y}, colour, px(1));
  canvas()->AddRectFilled({x, area.b.y - high}, {x + thick, area.b.y}, colour);
}

enum class Input { going_on, entered, left, given_up };

/// One line of text with a caret, as large as the field. Everything is selected at first, so that typing replaces it.
Input input(const Rect& area, Typing& typing) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.CurrentWindow;
  const ImGuiIO& io = ImGui::GetIO();
  const ImGuiID id = window->GetID("##typing");
  const ImRect box(area.a, area.b);
  if (!ImGui::ItemAdd(box, id)) return Input::left;
  name_focus(id);  // the field: Tab goes on from here
  const bool hovered = ImGui::ItemHoverable(box, id);
  EditorText& text_of = typing.text;
  const auto line = [&]() -> const std::string& { return text_of.lines().front(); };
  const float x = area.a.x + px(10);
  Input end = Input::going_on;
  if (typing.fresh) {
    text_of.select_all();
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
    typing.fresh = false;
  } else if (g.ActiveId != id || (io.MouseClicked[0] && !hovered)) {
    end = Input::left;
  } else if (hovered && io.MouseClicked[0]) {
    std::size_t byte = 0;
    while (byte < line().size() && x + text_width(Face::code, std::string_view(line()).substr(0, byte + 1)) < io.MousePos.x) ++byte;
    text_of.place({0, byte}, io.KeyShift);
  }
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  for (const KeyEvent& event : typing.keys) {
    if (end != Input::going_on) break;
    if (event.key == KeyEvent::Key::enter)
      end = Input::entered;
    else if (event.key == KeyEvent::Key::escape)
      end = Input::given_up;
    else if (event.key == KeyEvent::Key::tab)
      end = Input::left;  // the shell moves the focus
    else
      press_key(text_of, event, 1);
    if (text_of.lines().size() > 1) text_of.assign(std::string(line()));  // pasted lines: the first
  }
  typing.keys.clear();
  if (end != Input::going_on && g.ActiveId == id)
    ImGui::ClearActiveID();
  else
    claim_keyboard();

  const auto at = [&](EditorText::Position p) { return x + text_width(Face::code, std::string_view(line()).substr(0, p.byte)); };
  const float top = area.centre().y - line_height(Face::code) / 2 - px(1);
  if (text_of.has_selection()) {
    canvas()->AddRectFilled({at(text_of.selection_begin()), area.a.y + px(6)}, {at(text_of.selection_end()), area.b.y - px(6)},
                            with_alpha(theme().series.blue, 0.35f));
  }
  text(canvas(), Face::code, {x, top}, theme().text.first, line());
  if (caret_blinks_on()) {
    const float caret = snap(at(text_of.caret()));
    canvas()->AddRectFilled({caret, area.a.y + px(7)}, {caret + px(1.5f), area.b.y - px(7)}, theme().text.first);
  }
  return end;
}

/// The field while it is typed into. The number, once it is entered, or left, in range.
std::optional<double> typed_number(std::string_view name, const Rect& area, const lessons::Control& control, bool slider,
                                   Typing& typing) {
  const Theme& t = theme();
  name_widget(name, area);
  canvas()->AddRectFilled(area.a, area.b, t.background.control, px(t.radius.control));
  ImGui::PushID(name.data(), name.data() + name.size());
  const Input end = input(area, typing);
  ImGui::PopID();
  const std::string words = typing.text.str();
  const auto number = parse_number(words);
  typing.wrong = number ? range_problem(control, *number) : words.empty() ? "" : std::string(say("a number, please"));
  const bool good = typing.wrong.empty();
  if (!good) {
    if (number && slider) value_line(area, position_of(control, *number), t.verdict.bad);
    text(canvas(), Face::label, {area.a.x, area.b.y + px(4)}, t.verdict.bad, typing.wrong);
  }
  canvas()->AddRect(area.a, area.b, good ? t.hand.line : t.verdict.bad, px(t.radius.control), 0, px(2));
  if (end == Input::going_on) return std::nullopt;
  if (end == Input::entered && !good) {
    typing.fresh = true;  // to be mended, or given up with Escape
    return std::nullopt;
  }
  typing = {};
  return end != Input::given_up && good ? number : std::nullopt;
}

}  // namespace

std::optional<double> number_field(std::string_view name, const Rect& area, const lessons::Control& control, double value,
                                   Typing& typing) {
  const Theme& t = theme();
  if (typing.name == name) return typed_number(name, area, control, true, typing);
  std::optional<double> moved_to;
  const HitArea at = hit_area(name, area);
  canvas()->AddRectFilled(area.a, area.b, fill_of(at), px(t.radius.control));
  value_line(area, position_of(control, value), t.hand.line);
  text(canvas(), Face::code, {area.a.x + px(10), area.centre().y - line_height(Face::code) / 2 - px(1)}, t.text.first,
       field_text(value, control.kind));
  if (at.focused) focus_ring(area, t.hand.line, t.radius.control);
  // Sticky once it has moved: dragging back to where it began is still a drag.
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID(name.data(), name.data() + name.size());
  if (at.held && std::abs(ImGui::GetMouseDragDelta(0, 0).x) > px(3)) storage->SetBool(id, true);
  const bool dragged = storage->GetBool(id);
  if (at.held && dragged) {
    const double to = value_at(control, (ImGui::GetIO().MousePos.x - area.a.x) / std::max(area.width(), 1.0f));
    if (to != value) moved_to = to;
  }
  if (at.focused) {
    if (const int steps = adjustment(); steps != 0) {
      const double to = stepped(control, value, steps);
      if (to != value) moved_to = to;
    }
  }
  if (at.clicked && !dragged)
    typing = {.name = std::string(name), .text = EditorText(field_text(value, control.kind)), .wrong = {}, .keys = {}};
  if (!at.held) storage->SetBool(id, false);
  if (at.hovered) ImGui::SetMouseCursor(dragged ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_TextInput);
  hint(at, say(control.help));
  return moved_to;
}

std::optional<double> seed_field(std::string_view name, const Rect& area, const lessons::Control& control, double value,
                                 Typing& typing) {
  const Theme& t = theme();
  if (typing.name == name) return typed_number(name, area, control, false, typing);
  const float next = px(24) + text_width(Face::label, say("next"));
  const Rect number = {area.a, {area.b.x - next, area.b.y}}, button = {{area.b.x - next, area.a.y}, area.b};
  canvas()->AddRectFilled(area.a, area.b, t.background.control, px(t.radius.control));
  const HitArea at = hit_area(name, number), press = hit_area(std::string(name) + "/next", button);
  if (at.hovered)
    canvas()->AddRectFilled(number.a, number.b, t.background.hover, px(t.radius.control), ImDrawFlags_RoundCornersLeft);
  if (press.hovered)
    canvas()->AddRectFilled(button.a, button.b, fill_of(press), px(t.radius.control), ImDrawFlags_RoundCornersRight);
  text(canvas(), Face::code, {area.a.x + px(10), area.centre().y - line_height(Face::code) / 2 - px(1)}, t.text.first,
       field_text(value, control.kind));
  hairline(canvas(), {button.a.x, area.a.y + px(7)}, {button.a.x, area.b.y - px(7)}, t.background.line_strong);
  text_in_the_middle(button, Face::label, press.hovered ? t.text.first : t.text.second, say("next"));
  if (at.focused) focus_ring(number, t.hand.line, t.radius.control);
  if (press.focused) focus_ring(button, t.hand.line, t.radius.control);
  if (at.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (at.clicked)
    typing = {.name = std::string(name), .text = EditorText(field_text(value, control.kind)), .wrong = {}, .keys = {}};
  hint(at, say(control.help));
  if (press.clicked) return value >= control.most ? control.least : value + 1;
  return std::nullopt;
}

std::optional<double> guess_field(std::string_view name, const Rect& area, std::string& typed, Typing& typing) {
  const Theme& t = theme();
  canvas()->AddRectFilled(area.a, area.b, t.background.plot, px(t.radius.control));
  if (typing.name != name) {
    const HitArea at = hit_area(name, area);
    canvas()->AddRect(area.a, area.b, at.hovered ? t.hand.line : t.background.line_strong, px(t.radius.control), 0, px(1));
    text(canvas(), Face::code, {area.a.x + px(10), area.centre().y - line_height(Face::code) / 2 - px(1)}, t.text.first, typed);
    if (at.focused) focus_ring(area, t.hand.line, t.radius.control);
    if (at.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    if (at.clicked) typing = {.name = std::string(name), .text = EditorText(typed), .wrong = {}, .keys = {}};
    return std::nullopt;
  }
  name_widget(name, area);
  ImGui::PushID(name.data(), name.data() + name.size());
  const Input end = input(area, typing);
  ImGui::PopID();
  typed = typing.text.str();
  const auto number = parse_number(typed);
  const bool good = number || typed.empty();
  canvas()->AddRect(area.a, area.b, good ? t.hand.line : t.verdict.bad, px(t.radius.control), 0, px(2));
  if (end == Input::going_on) return std::nullopt;
  if (end == Input::entered && !number) {
    typing.fresh = true;
    return std::nullopt;
  }
  typing = {};
  return end == Input::entered ? number : std::nullopt;  // left is not yet given
}

std::optional<std::string> text_field(std::string_view name, const Rect& area, std::string_view words, std::string_view placeholder,
                                      Typing& typing) {
  const Theme& t = theme();
  std::optional<std::string> given;
  if (typing.name == name) {
    ImGui::PushClipRect(area.a, area.b, true);
    name_widget(name, area);
    canvas()->AddRectFilled(area.a, area.b, t.background.control, px(t.radius.control));
    ImGui::PushID(name.data(), name.data() + name.size());
    const Input end = input(area, typing);
    ImGui::PopID();
    canvas()->AddRect(area.a, area.b, t.hand.line, px(t.radius.control), 0, px(2));
    if (end != Input::going_on) {
      if (end != Input::given_up && typing.text.str() != words) given = typing.text.str();
      typing = {};
    }
  } else {
    const HitArea at = hit_area(name, area);  // before the clip rectangle, by which it would see what covers the page's top
    ImGui::PushClipRect(area.a, area.b, true);
    canvas()->AddRectFilled(area.a, area.b, fill_of(at), px(t.radius.control));
    const ImVec2 from(area.a.x + px(10), area.centre().y - line_height(Face::code) / 2 - px(1));
    if (words.empty())
      text_clipped(canvas(), Face::label, {from.x, area.centre().y - line_height(Face::label) / 2}, area.width() - px(20),
                   t.text.third, placeholder);
    else
      text_clipped(canvas(), Face::code, from, area.width() - px(20), t.text.first, words);
    if (at.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    if (at.clicked) typing = {.name = std::string(name), .text = EditorText(std::string(words)), .wrong = {}, .keys = {}};
    ImGui::PopClipRect();
    if (at.focused) focus_ring(area, t.hand.line, t.radius.control);
    return given;
  }
  ImGui::PopClipRect();
  return given;
}

bool toggle(std::string_view name, const Rect& area, bool on) {
  const Theme& t = theme();
  const HitArea at = hit_area(name, area);
  const float h = px(20), w = px(36), y = snap(area.centre().y - h / 2);
  const Rect pill = rect(area.a.x, y, w, h);
  const float r = h / 2;
  if (on) {
    canvas()->AddRectFilled(pill.a, pill.b, at.held ? t.hand.pressed : at.hovered ? t.hand.hover : t.hand.fill, r);
    canvas()->AddCircleFilled({pill.b.x - r, y + r}, px(7), t.hand.on, 24);
  } else {
    canvas()->AddRectFilled(pill.a, pill.b, fill_of(at), r);
    canvas()->AddRect(pill.a, pill.b, t.background.line_strong, r, 0, px(1));
    canvas()->AddCircleFilled({pill.a.x + r, y + r}, px(7), at.hovered ? t.text.second : t.text.third, 24);
  }
  text(canvas(), Face::body, {pill.b.x + px(10), area.centre().y - line_height(Face::body) / 2}, t.text.first,
       on ? say("On") : say("Off"));
  if (at.focused) focus_ring(pill, t.hand.line, 10);
  return at.clicked;
}

std::vector<float> segment_widths(std::span<const Segment> items, Face face) {
  std::vector<float> widths;
  for (const Segment& item : items) {
    widths.push_back(std::ceil(text_width(face, item.label)) + px(24) + (item.chevron ? px(20) : 0));
  }
  return widths;
}

std::optional<std::size_t> segments(const Rect& area, std::span<const Segment> items, std::size_t chosen, Face face) {
  const Theme& t = theme();
  canvas()->AddRectFilled(area.a, area.b, t.background.control, px(t.radius.control));
  std::vector<float> widths = segment_widths(items, face);
  float total = px(4);
  for (const float width : widths) total += width;
  const float extra = (area.width() - total) / static_cast<float>(std::max<std::size_t>(items.size(), 1));
  std::optional<std::size_t> clicked;
  float x = area.a.x + px(2);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const float width = i + 1 == items.size() ? area.b.x - px(2) - x : snap(widths[i] + extra);
    const Rect box = rect(x, area.a.y + px(2), width, area.height() - px(4));
    x += width;
    const HitArea at = hit_area(items[i].name, box, items[i].enabled);
    const bool on = i == chosen;
    if (on) {
      canvas()->AddRectFilled(box.a, box.b, t.background.segment, px(t.radius.control - 1));
    } else if (at.hovered && items[i].enabled) {
      canvas()->AddRectFilled(box.a, box.b, at.held ? t.background.pressed : t.background.hover, px(t.radius.control - 1));
    }
    const ImU32 ink = !items[i].enabled ? t.text.disabled : on ? t.text.first : t.text.second;
    Rect label = box;
    if (items[i].chevron) {
      label.b.x -= px(16);
      const float half = text_width(face, items[i].label) / 2;
      icon(canvas(), Icon::chevron_down, {label.centre().x + half + px(13), box.centre().y + px(1)}, px(9), ink);
    }
    const Face strong = face == Face::label ? Face::label_strong : Face::body_strong;
    text_in_the_middle(label, on ? strong : face, ink, items[i].label);
    if (at.focused) focus_ring(box, t.hand.line, t.radius.control);
    explain(at, items[i].hint);
    if (at.clicked) clicked = i;
  }
  return clicked;
}

}  // namespace warpbook::app
