#include "app/panels/rail.h"

#include <array>
#include <string>

#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

/// Warp threads with the weft that holds them: the program's mark.
void mark(ImDrawList* draw, ImVec2 centre) {
  const Theme& t = theme();
  for (int i = 0; i < 5; ++i) {
    const float x = snap(centre.x + px(static_cast<float>(i - 2) * 4));
    draw->AddRectFilled({x - px(1), snap(centre.y - px(9))}, {x + px(1), snap(centre.y + px(9))}, t.text.second);
  }
  const float y = snap(centre.y + px(2));
  draw->AddRectFilled({snap(centre.x - px(10)), y - px(1)}, {snap(centre.x + px(11)), y + px(1)}, t.hand.line);
}

void row(const lessons::RailEntry& entry, const Rect& area, bool collapsed, Session& session, Actions& actions) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool current = entry.lesson != nullptr && entry.lesson == session.open;
  const Touch at = touch("rail/" + std::string(entry.number), area, entry.lesson != nullptr);
  if (current) {
    draw->AddRectFilled(area.a, area.b, t.background.raised);
    draw->AddRectFilled(area.a, {area.a.x + px(3), area.b.y}, t.hand.line);
  } else if (at.hovered && entry.lesson != nullptr) {
    draw->AddRectFilled(area.a, area.b, at.held ? t.background.pressed : t.background.control);
  }
  const bool written = entry.lesson != nullptr;
  const ImU32 number = !written ? t.text.disabled : current ? t.text.first : t.text.third;
  const ImU32 title = !written ? t.text.disabled : current ? t.text.first : t.text.second;
  const float y = area.centre().y;
  if (collapsed) {
    text(draw, Face::digits, {area.centre().x, y - line_height(Face::digits) / 2}, number, entry.number, Align::centre);
  } else {
    text(draw, Face::digits, {px(16), y - line_height(Face::digits) / 2}, number, entry.number);
    const Face face = current ? Face::body_strong : Face::body;
    text_clipped(draw, face, {px(44), y - line_height(face) / 2}, area.b.x - px(44 + 10), title, entry.title);
  }
  if (at.focused) focus_ring({{area.a.x + px(4), area.a.y + px(4)}, {area.b.x - px(4), area.b.y - px(4)}}, t.hand.line, 2);
  if (!written) {
    hint(at, collapsed ? std::string(entry.title) + ": not written yet" : "not written yet");
  } else if (collapsed) {
    hint(at, entry.title);
  }
  if (at.clicked && !current) actions.open(*entry.lesson);
}

}  // namespace

void draw_rail(Session& session, Actions& actions, const Layout& layout) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect& rail = layout.rail;
  const bool collapsed = layout.rail_collapsed;
  hairline(draw, {rail.b.x - px(1), rail.a.y}, {rail.b.x - px(1), rail.b.y}, t.background.line);

  const float header = px(t.space.header);
  mark(draw, {collapsed ? rail.centre().x : px(26), header / 2});
  if (!collapsed) {
    text(draw, Face::prose_strong, {px(48), header / 2 - line_height(Face::prose_strong) / 2}, t.text.first, "Warpbook");
  }
  const auto entries = lessons::curriculum();
  // Rows shrink before the last of them would fall off a low window.
  const float foot = px(48);
  const float height = snap(std::min(px(t.space.rail_row), (rail.height() - header - foot) / static_cast<float>(entries.size())));
  float y = header;
  for (const lessons::RailEntry& entry : entries) {
    row(entry, rect(0, y, rail.width() - px(1), height), collapsed, session, actions);
    y += height;
  }

  const bool dark = session.appearance == Appearance::dark;
  const char* label = dark ? "Light" : "Dark";
  const float line = line_height(Face::label);
  const float x = collapsed ? rail.centre().x - text_width(Face::label, label) / 2 : px(16);
  if (link("appearance", Face::label, {x, rail.b.y - px(16) - line}, label, t.text.third)) {
    actions.set_appearance(dark ? Appearance::light : Appearance::dark);
  }
}

}  // namespace warpbook::app
