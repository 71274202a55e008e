#include "app/ui/hit_area.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/ui/draw.h"
#include "app/ui/theme.h"

namespace warpbook::app {
namespace {

std::vector<NamedRect> registry;
std::string focus_wanted;           // by Tab, for the next frame
int steps_wanted = 0;               // by arrows, for the next frame
constexpr float hint_after = 0.4f;  // seconds that the mouse rests
int pictures_drawn = 0;             // beside the window, now

}  // namespace

ImU32 fill_of(const HitArea& at) {
  const auto& b = theme().background;
  return at.held ? b.pressed : at.hovered ? b.hover : b.control;
}

Rect rect(float x, float y, float width, float height) { return {{x, y}, {x + width, y + height}}; }

void forget_widgets() { registry.clear(); }
const std::vector<NamedRect>& named_widgets() { return registry; }
void name_widget(std::string_view name, const Rect& area) {
  const ImVec2 a = canvas()->GetClipRectMin(), b = canvas()->GetClipRectMax();
  const Rect seen{{std::max(area.a.x, a.x), std::max(area.a.y, a.y)}, {std::min(area.b.x, b.x), std::min(area.b.y, b.y)}};
  registry.push_back({.name = std::string(name), .area = area, .seen = seen});
}
UnnamedWidgets::UnnamedWidgets() : kept_(registry) { ++pictures_drawn; }
UnnamedWidgets::~UnnamedWidgets() {
  registry = std::move(kept_);
  --pictures_drawn;
}
bool widgets_are_unnamed() { return pictures_drawn > 0; }

void name_focus(ImGuiID id) { registry.back().id = id; }

void take_focus(std::string_view name, ImGuiID id, const Rect& area) {
  if (focus_wanted != name) return;
  focus_wanted.clear();
  ImGui::FocusWindow(ImGui::GetCurrentWindow());
  // A window that has just opened would give it to its first item.
  ImGui::GetCurrentContext()->NavInitRequest = false;
  ImGui::GetCurrentContext()->NavInitResultId = 0;
  ImGui::SetFocusID(id, ImGui::GetCurrentWindow());
  ImGui::GetCurrentContext()->NavDisableHighlight = false;
  // What lies over the top of the window, as a page's head does, is no place to be seen in.
  const float covered = canvas()->GetClipRectMin().y - ImGui::GetCurrentWindow()->InnerRect.Min.y;
  ImGui::ScrollToBringRectIntoView(ImGui::GetCurrentWindow(), ImRect({area.a.x, area.a.y - std::max(covered, 0.0f)}, area.b));
}

// By events: ImGui sees keys only as they are when a frame begins, stops Tab at text inputs only, and would carry the focus off
// with arrows.
void take_keys_over() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow,
                             ImGuiKey_PageUp, ImGuiKey_PageDown, ImGuiKey_Escape})
    io.KeyMap[key] = -1;
  io.KeyMap[ImGuiKey_Space] = IM_ARRAYSIZE(io.KeysDown) - 1;  // it insists on one: a key that nobody has
}

void move_focus(int direction) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  std::vector<const NamedRect*> stops;
  for (const NamedRect& widget : registry) {
    if (widget.id != 0) stops.push_back(&widget);
  }
  if (stops.empty()) return;
  const auto here = std::find_if(stops.begin(), stops.end(), [&](const NamedRect* widget) { return widget->id == g.NavId; });
  std::size_t next = direction > 0 ? 0 : stops.size() - 1;
  if (here != stops.end()) {
    const auto at = static_cast<std::size_t>(here - stops.begin());
    next = (at + (direction > 0 ? 1 : stops.size() - 1)) % stops.size();
  }
  focus_wanted = stops[next]->name;
}

void focus_on(std::string_view name) { focus_wanted = name; }

void forget_stops() {
  for (NamedRect& widget : registry) widget.id = 0, widget.pressed = false;
}

void adjust_focused(int steps) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.NavId != 0 && !g.NavDisableHighlight) steps_wanted += steps;
}

int adjustment() { return std::exchange(steps_wanted, 0); }

const NamedRect* focused_widget() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.NavId == 0 || g.NavDisableHighlight) return nullptr;
  const auto it = std::find_if(registry.begin(), registry.end(), [&](const NamedRect& widget) { return widget.id == g.NavId; });
  return it == registry.end() ? nullptr : &*it;
}

void press_focused() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.NavId != 0 && g.ActiveId == 0 && !g.NavDisableHighlight) ImGui::ActivateItem(g.NavId);
}

std::string widgets_as_json() {
  nlohmann::json all = nlohmann::json::array();
  for (const NamedRect& widget : registry) {
    const Rect& area = widget.area;
    all.push_back({{"name", widget.name}, {"x", area.a.x}, {"y", area.a.y}, {"width", area.width()}, {"height", area.height()}});
  }
  return all.dump(1);
}

HitArea hit_area(std::string_view name, const Rect& area, bool enabled) {
  name_widget(name, area);
  const std::size_t mine = registry.size() - 1;
  if (area.width() < 1 || area.height() < 1) return {};
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(area.a);
  ImGui::PushID(name.data(), name.data() + name.size());
  HitArea result{.area = area};
  if (!enabled) ImGui::PushItemFlag(ImGuiItemFlags_Disabled, true);
  result.clicked = ImGui::InvisibleButton("##touch", {area.width(), area.height()}) && enabled;
  if (!enabled) ImGui::PopItemFlag();
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (enabled) registry[mine].id = ImGui::GetItemID();
  registry[mine].pressed = enabled;
  if (enabled) take_focus(name, ImGui::GetItemID(), area);
  result.hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
  result.held = enabled && ImGui::IsItemActive();
  result.focused = enabled && ImGui::IsItemFocused() && !g.NavDisableHighlight;
  ImGui::PopID();
  ImGui::SetCursorScreenPos(cursor);
  return result;
}

void focus_ring(const Rect& area, ImU32 colour, float radius_css) {
  const float away = px(2), half = px(1);
  canvas()->AddRect({area.a.x - away - half, area.a.y - away - half}, {area.b.x + away + half, area.b.y + away + half}, colour,
                    px(radius_css + 3), 0, px(2));
}

namespace {

/// Where a box of that size stands beside an area: the first side that has room for it.
ImVec2 beside(const Rect& area, ImVec2 size, HintAt where) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float gap = px(6), edge = px(4);
  const float under = area.b.y + gap, over = area.a.y - gap - size.y;
  const float right = area.b.x + gap, left = area.a.x - gap - size.x;
  const auto within = [&](float at, float length, float room) { return std::max(std::min(at, room - length - edge), edge); };
  const bool fits_right = right + size.x <= screen.x - edge, fits_left = left >= edge;
  const bool fits_under = under + size.y <= screen.y - edge, fits_over = over >= edge;
  const ImVec2 at_the_side(fits_right ? right : left, within(area.centre().y - size.y / 2, size.y, screen.y));
  if (where == HintAt::beside && (fits_right || fits_left)) return at_the_side;
  if (fits_under || fits_over) return {within(area.a.x, size.x, screen.x), fits_under ? under : over};
  return fits_right || fits_left ? at_the_side : ImVec2(within(area.a.x, size.x, screen.x), edge);
}

void tooltip(const HitArea& at, std::string_view words, HintAt where) {
  const ImVec2 padding(px(10), px(6));
  const float width = px(320);
  if (at.area.width() > 0) {
    const ImFont* const face = font(Face::label);
    const ImVec2 text = face->CalcTextSizeA(face->FontSize, FLT_MAX, width, words.data(), words.data() + words.size());
    ImGui::SetNextWindowPos(beside(at.area, {text.x + 2 * padding.x, text.y + 2 * padding.y}, where));
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushFont(font(Face::label));
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(width);
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  note_drawn_words(Face::label, words);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopFont();
  ImGui::PopStyleVar();
}

}  // namespace

double hint_wait() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool waits = g.HoveredId != 0 && g.HoveredIdTimer < hint_after;
  return waits ? hint_after - g.HoveredIdTimer + 0.01 : 0;
}

void hint(const HitArea& at, std::string_view words, HintAt where) {
  if (!at.hovered || words.empty() || ImGui::GetCurrentContext()->HoveredIdTimer < hint_after) return;
  tooltip(at, words, where);
}

void explain(const HitArea& at, std::string_view words, HintAt where) {
  const bool by_keyboard = at.focused && ImGui::GetCurrentContext()->HoveredId == 0;
  if (by_keyboard && !words.empty()) return tooltip(at, words, where);
  hint(at, words, where);
}

namespace {

/// Icons of the timeline and of lists.
void move_icon(ImDrawList* draw, Icon which, ImVec2 c, float r, ImU32 colour) {
  switch (which) {
    case Icon::play:
      draw->AddTriangleFilled({c.x - r * 0.7f, c.y - r * 0.9f}, {c.x + r * 0.95f, c.y}, {c.x - r * 0.7f, c.y + r * 0.9f}, colour);
      break;
    case Icon::pause:
      draw->AddRectFilled({snap(c.x - r * 0.75f), snap(c.y - r * 0.9f)}, {snap(c.x - r * 0.2f), snap(c.y + r * 0.9f)}, colour);
      draw->AddRectFilled({snap(c.x + r * 0.2f), snap(c.y - r * 0.9f)}, {snap(c.x + r * 0.75f), snap(c.y + r * 0.9f)}, colour);
      break;
    case Icon::stop:
      draw->AddRectFilled({snap(c.x - r * 0.8f), snap(c.y - r * 0.8f)}, {snap(c.x + r * 0.8f), snap(c.y + r * 0.8f)}, colour,
                          px(1));
      break;
    case Icon::chevron_down:
    case Icon::chevron_left:
    case Icon::chevron_right: {
      const auto at = [&](float along, float across) {
        if (which == Icon::chevron_down) return ImVec2(c.x + across * r, c.y + along * r);
        return ImVec2(c.x + (which == Icon::chevron_left ? -along : along) * r, c.y + across * r);
      };
      const std::array<ImVec2, 3> path = {at(-0.35f, -0.7f), at(0.35f, 0), at(-0.35f, 0.7f)};
      draw->AddPolyline(path.data(), 3, colour, ImDrawFlags_None, px(1.6f));
      break;
    }
    case Icon::to_start:
    case Icon::to_end: {
      const float way = which == Icon::to_end ? 1.0f : -1.0f;
      draw->AddTriangleFilled({c.x - way * r * 0.6f, c.y - r * 0.8f}, {c.x + way * r * 0.5f, c.y},
                              {c.x - way * r * 0.6f, c.y + r * 0.8f}, colour);
      const float bar = snap(c.x + way * r * 0.65f);
      draw->AddRectFilled({bar - px(1), snap(c.y - r * 0.8f)}, {bar + px(1), snap(c.y + r * 0.8f)}, colour);
      break;
    }
    default:
      break;
  }
}

/// Icons that stand for things.
void thing_icon(ImDrawList* draw, Icon which, ImVec2 c, float r, ImU32 colour) {
  switch (which) {
    case Icon::settings: {  // three sliders
      for (int i = 0; i < 3; ++i) {
        const float y = snap(c.y + static_cast<float>(i - 1) * r * 0.7f), knob = c.x + (i == 1 ? -0.4f : 0.4f) * r;
        draw->AddLine({c.x - r * 0.9f, y}, {c.x + r * 0.9f, y}, colour, px(1.3f));
        draw->AddCircleFilled({knob, y}, r * 0.24f, colour, 12);
      }
      break;
    }
    case Icon::appearance:  // a disc, half of it dark
      draw->AddCircle(c, r * 0.8f, colour, 24, px(1.3f));
      draw->PathArcTo(c, r * 0.8f, -1.5708f, 1.5708f, 16);
      draw->PathFillConvex(colour);
      break;
    case Icon::glossary: {  // a book
      draw->AddRect({c.x - r * 0.7f, c.y - r * 0.85f}, {c.x + r * 0.7f, c.y + r * 0.85f}, colour, px(1.5f), 0, px(1.3f));
      draw->AddLine({c.x - r * 0.35f, c.y - r * 0.85f}, {c.x - r * 0.35f, c.y + r * 0.85f}, colour, px(1.3f));
      break;
    }
    case Icon::help:  // a question mark in a ring
      draw->AddCircle(c, r * 0.9f, colour, 24, px(1.3f));
      draw->PathArcTo({c.x, c.y - r * 0.18f}, r * 0.32f, -3.1416f, 1.0f, 12);
      draw->PathLineTo({c.x, c.y + r * 0.22f});
      draw->PathStroke(colour, ImDrawFlags_None, px(1.4f));
      draw->AddCircleFilled({c.x, c.y + r * 0.5f}, px(1), colour, 8);
      break;
    case Icon::undo:
    case Icon::redo: {  // an arrow that turns back, or on
      const float way = which == Icon::undo ? -1.0f : 1.0f;
      const float from = 0.9f, to = 5.0f;  // radians from the arrow's head on
      std::array<ImVec2, 17> path;
      for (std::size_t i = 0; i < path.size(); ++i) {
        const float angle = from + (to - from) * static_cast<float>(i) / static_cast<float>(path.size() - 1);
        path[i] = {c.x + way * r * 0.75f * std::cos(angle), c.y - r * 0.75f * std::sin(angle)};
      }
      draw->AddPolyline(path.data(), static_cast<int>(path.size()), colour, ImDrawFlags_None, px(1.4f));
      const ImVec2 head = path.front();
      draw->AddTriangleFilled({head.x - way * r * 0.45f, head.y - r * 0.05f}, {head.x + way * r * 0.5f, head.y - r * 0.05f},
                              {head.x + way * r * 0.03f, head.y + r * 0.6f}, colour);
      break;
    }
    case Icon::folder:
      draw->AddRectFilled({c.x - r, c.y - r * 0.7f}, {c.x - r * 0.1f, c.y}, colour, px(1));
      draw->AddRectFilled({c.x - r, c.y - r * 0.45f}, {c.x + r, c.y + r * 0.75f}, colour, px(1.5f));
      break;
    case Icon::file:
      draw->AddRect({c.x - r * 0.7f, c.y - r * 0.9f}, {c.x + r * 0.7f, c.y + r * 0.9f}, colour, px(1), 0, px(1.3f));
      draw->AddLine({c.x - r * 0.35f, c.y - r * 0.2f}, {c.x + r * 0.35f, c.y - r * 0.2f}, colour, px(1.2f));
      draw->AddLine({c.x - r * 0.35f, c.y + r * 0.3f}, {c.x + r * 0.35f, c.y + r * 0.3f}, colour, px(1.2f));
      break;
    default:
      break;
  }
}

}  // namespace

void icon(ImDrawList* draw, Icon which, ImVec2 c, float size, ImU32 colour) {
  move_icon(draw, which, c, size / 2, colour);
  thing_icon(draw, which, c, size / 2, colour);
}

namespace {
constexpr float button_padding = 13, icon_size = 11, icon_gap = 8;
}

float button_width(const ButtonLook& look) {
  float width = px(2 * button_padding) + text_width(look.primary ? Face::body_strong : Face::body, look.label);
  if (look.icon != Icon::none) width += px(icon_size) + (look.label.empty() ? 0 : px(icon_gap));
  return std::ceil(width);
}

bool button(std::string_view name, const Rect& area, const ButtonLook& look) {
  const Theme& t = theme();
  const HitArea at = hit_area(name, area, look.enabled);
  ImU32 fill = fill_of(at), ink = t.text.first;
  if (look.primary) {
    fill = at.held ? t.hand.pressed : at.hovered ? t.hand.hover : t.hand.fill;
    ink = t.hand.on;
  }
  if (!look.enabled) {
    fill = t.background.control;
    ink = t.text.disabled;
  }
  canvas()->AddRectFilled(area.a, area.b, fill, px(t.radius.control));
  const Face face = look.primary ? Face::body_strong : Face::body;
  const float words = text_width(face, look.label);
  float width = words;
  if (look.icon != Icon::none) width += px(icon_size) + (look.label.empty() ? 0 : px(icon_gap));
  float x = area.centre().x - width / 2;
  if (look.icon != Icon::none) {
    icon(canvas(), look.icon, {x + px(icon_size) / 2, area.centre().y}, px(icon_size), ink);
    x += px(icon_size + icon_gap);
  }
  text(canvas(), face, {x, area.centre().y - line_height(face) / 2}, ink, look.label);
  if (at.focused) focus_ring(area, t.hand.line, t.radius.control);
  hint(at, look.hint);
  return at.clicked;
}

bool link(std::string_view name, Face face, ImVec2 at, std::string_view label, ImU32 colour, bool underlined) {
  const Rect area = rect(at.x, at.y, text_width(face, label), line_height(face));
  const HitArea state = hit_area(name, area);
  const ImU32 ink = state.hovered ? theme().text.first : colour;
  text(canvas(), face, at, ink, label);
  if (underlined || state.hovered) {
    const float y = at.y + baseline(face) + px(2);
    hairline(canvas(), {area.a.x, y}, {area.b.x, y}, ink);
  }
  if (state.focused) focus_ring(area, theme().hand.line, 2);
  return state.clicked;
}

}  // namespace warpbook::app
