#include "app/panels/rail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/panels/glossary.h"
#include "app/panels/shortcuts.h"
#include "app/panels/stage_strip.h"
#include "app/panels/tour.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

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

constexpr float thread_pitch = 5;  // CSS pixels

/// A lesson's threads, one a stage: upright in the row, or woven flat under the number.
void threads(ImDrawList* draw, const std::vector<lessons::StageDone>& stages, const Rect& row, bool collapsed) {
  const Theme& t = theme();
  const auto count = static_cast<float>(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto at = static_cast<float>(i);
    const ImU32 ink = stages[i].done ? t.hand.line : t.background.line_strong;
    if (collapsed) {
      const float length = px(4), pitch = px(6);
      const float x = snap(row.centre().x - (count * pitch - px(2)) / 2 + at * pitch), y = snap(row.b.y - px(5));
      draw->AddRectFilled({x, y}, {x + length, y + px(1.5f)}, ink);
    } else {
      const float x = snap(row.b.x - px(16) - (count - 1 - at) * px(thread_pitch)), y = row.centre().y;
      draw->AddRectFilled({x - std::max(px(1.5f), 1.0f), snap(y - px(5))}, {x, snap(y + px(5))}, ink);
    }
  }
}

/// How far it is, at the row's right: done, or its threads.
void standing(ImDrawList* draw, const std::vector<lessons::StageDone>& stages, const Rect& row, bool collapsed) {
  const Theme& t = theme();
  if (collapsed || !lessons::all_done(stages))
    threads(draw, stages, row, collapsed);
  else
    tick(draw, {row.b.x - px(24), row.centre().y}, px(12), t.hand.line);
}

/// "done: predict, run; to do: look, change".
std::string in_words(const std::vector<lessons::StageDone>& stages, bool missed) {
  std::string done, open;
  for (const lessons::StageDone& stage : stages) {
    std::string& list = stage.done ? done : open;
    list += (list.empty() ? "" : ", ") + std::string(stage_word(stage.name));
  }
  if (open.empty()) return missed ? say("all done, but your last prediction was wrong: ask yourself again") : say("all done");
  return done.empty() ? say("to do: {stages}", "stages"_a = open)
                      : say("done: {done}; to do: {stages}", "done"_a = done, "stages"_a = open);
}

void row(const lessons::RailEntry& entry, const Rect& area, bool collapsed, Session& session, Actions& actions) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool written = entry.lesson != nullptr;
  const bool open = written && entry.lesson == session.open;
  const bool current = open || (written && session.open->exercise != nullptr && session.open->exercise->lesson == entry.lesson);
  const HitArea at =
      hit_area("rail/" + std::string(entry.number.empty() ? std::string_view(entry.lesson->id) : entry.number), area, written);
  if (current) {
    draw->AddRectFilled(area.a, area.b, t.background.raised);
    draw->AddRectFilled(area.a, {area.a.x + px(3), area.b.y}, t.hand.line);
  } else if (at.hovered && written) {
    draw->AddRectFilled(area.a, area.b, at.held ? t.background.pressed : t.background.control);
  }
  const ImU32 number = !written ? t.text.disabled : current ? t.text.first : t.text.third;
  const ImU32 title = !written ? t.text.disabled : current ? t.text.first : t.text.second;
  const float y = area.centre().y - (collapsed ? px(2) : 0);  // room for the threads below
  const bool counted = written && lessons::counts(*entry.lesson);
  const auto stages = counted ? stages_of(session, *entry.lesson) : std::vector<lessons::StageDone>();
  if (collapsed) {
    if (entry.number.empty())
      icon(draw, !written || entry.lesson->playground ? Icon::file : Icon::play, {area.centre().x, y}, px(12), number);
    else
      text(draw, Face::digits, {area.centre().x, y - line_height(Face::digits) / 2}, number, entry.number, Align::centre);
  } else {
    text(draw, Face::digits, {px(16), y - line_height(Face::digits) / 2}, number, entry.number);
    const Face face = current ? Face::body_strong : Face::body;
    const float room = px(16 + 8) + static_cast<float>(stages.size()) * px(thread_pitch);
    text_clipped(draw, face, {px(44), y - line_height(face) / 2}, area.b.x - px(44) - (written ? room : px(10)), title,
                 entry.title);
  }
  standing(draw, stages, area, collapsed);
  if (at.focused) focus_ring({{area.a.x + px(4), area.a.y + px(4)}, {area.b.x - px(4), area.b.y - px(4)}}, t.hand.line, 2);
  const std::string how_far = counted                                ? in_words(stages, has_missed(session, *entry.lesson))
                              : written && !entry.lesson->playground ? say("for programs of your own, with all their launches")
                              : written                              ? say("for kernels of your own")
                                                                     : say("not written yet");
  hint(at, collapsed ? std::string(entry.title) + "\n" + how_far : how_far, HintAt::beside);
  if (at.clicked && !open) actions.open(*entry.lesson);
}

/// The program's name, which folds the rail and unfolds it where the window has room for that.
void head(Session& session, const Rect& area, bool collapsed, bool can_unfold) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = area.centre().y;
  bool hovered = false;
  if (can_unfold) {
    const HitArea at = hit_area("rail/fold", area);
    hovered = at.hovered;
    if (at.clicked) session.rail_folded = !collapsed;
    if (at.focused) focus_ring({{area.a.x + px(4), area.a.y + px(8)}, {area.b.x - px(4), area.b.y - px(8)}}, t.hand.line, 2);
    hint(at, collapsed ? say("Unfold the lessons") : say("Fold the lessons away"));
  }
  const float size = px(9);
  if (collapsed && hovered) return icon(draw, Icon::chevron_right, {area.centre().x, middle}, size, t.text.first);
  mark(draw, {collapsed ? area.centre().x : px(26), middle});
  if (collapsed) return;
  text(draw, Face::prose_strong, {px(48), middle - line_height(Face::prose_strong) / 2}, t.text.first, say("Warpbook"));
  if (can_unfold) icon(draw, Icon::chevron_left, {area.b.x - px(20), middle}, size, hovered ? t.text.first : t.text.disabled);
}

struct FootItem {
  std::string_view name, label;
  Icon icon;
};

/// What can be had beside the lessons. Returns the name of what was pressed.
std::string_view foot(const Session& session, const Rect& area, bool collapsed) {
  const Theme& t = theme();
  const bool dark = session.appearance == Appearance::dark;
  std::vector<FootItem> items{{"settings", say("Settings"), Icon::settings},
                              {"glossary", say("Glossary"), Icon::glossary},
                              {"appearance", dark ? say("Light") : say("Dark"), Icon::appearance}};
  if (collapsed) items.insert(items.begin(), {"help", say("Help"), Icon::help});
  std::string_view pressed;
  if (collapsed) {
    float y = area.b.y - px(8) - static_cast<float>(items.size()) * px(32);
    for (const FootItem& item : items) {
      const Rect box = rect(area.centre().x - px(16), y, px(32), px(32));
      const HitArea at = hit_area(item.name, box);
      if (at.hovered) ImGui::GetWindowDrawList()->AddRectFilled(box.a, box.b, fill_of(at), px(t.radius.control));
      icon(ImGui::GetWindowDrawList(), item.icon, box.centre(), px(15), at.hovered ? t.text.first : t.text.third);
      if (at.focused) focus_ring(box, t.hand.line, t.radius.control);
      hint(at, item.label, HintAt::beside);
      if (at.clicked) pressed = item.name;
      y += px(32);
    }
    return pressed;
  }
  float x = area.a.x + px(16);
  const float y = area.b.y - px(18) - line_height(Face::label);
  for (const FootItem& item : items) {
    if (link(item.name, Face::label, {x, y}, item.label, t.text.third)) pressed = item.name;
    x += text_width(Face::label, item.label) + px(16);
  }
  return pressed;
}

/// What Help opens, above its button. `open`: it was pressed.
void help_menu(Session& session, Actions& actions, ImVec2 corner, bool open) {
  if (open) ImGui::OpenPopup("help menu");
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {0, 1});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  if (ImGui::BeginPopup("help menu", ImGuiWindowFlags_NoMove)) {
    const float width = px(220);
    const bool tour = list_row("help/tour", say("A tour of the window"), false, width);
    const bool keys =
        list_row("help/shortcuts", say("Keyboard shortcuts ({keys})", "keys"_a = keys_of(Command::shortcuts)), false, width);
    const bool how_far =
        list_row("help/progress", say("Your progress ({keys})", "keys"_a = keys_of(Command::progress)), false, width);
    const bool words = list_row("help/glossary", say("Glossary ({keys})", "keys"_a = keys_of(Command::glossary)), false, width);
    if (tour || keys || how_far || words) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    if (tour) start_tour(session, actions);
    if (keys) open_overlay(session, Overlay::shortcuts);
    if (how_far) open_overlay(session, Overlay::progress);
    if (words) open_glossary(session);
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_rail(Session& session, Actions& actions, const Layout& layout) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect& rail = layout.rail;
  const bool collapsed = layout.rail_collapsed;
  hairline(draw, {rail.b.x - px(1), rail.a.y}, {rail.b.x - px(1), rail.b.y}, t.background.line);
  const float header = px(t.space.header);
  head(session, rect(0, 0, rail.width() - px(1), header), collapsed, layout.rail_can_unfold);

  const auto entries = lessons::curriculum();
  // Rows shrink before the last of them would fall off a low window.
  const float room = rail.height() - header - px(collapsed ? 144 : 124);
  const float height = snap(std::min(px(t.space.rail_row), room / static_cast<float>(entries.size())));
  float y = header;
  for (const lessons::RailEntry& entry : entries) {
    row(entry, rect(0, y, rail.width() - px(1), height), collapsed, session, actions);
    y += height;
  }
  if (!collapsed) {
    const auto [done, in_all] = lessons_done(session);
    const Rect bar = {{px(16), snap(rail.b.y - px(96))}, {rail.b.x - px(16), snap(rail.b.y - px(92))}};
    if (link("progress", Face::caption, {bar.a.x, bar.a.y - px(6) - line_height(Face::caption)},
             say("{done} of {lessons} lessons done", "done"_a = done, "lessons"_a = in_all), t.text.third, true))
      open_overlay(session, Overlay::progress);
    const float gap = px(3), each = (bar.width() + gap) / static_cast<float>(in_all) - gap;
    for (std::size_t i = 0; i < in_all; ++i) {
      const float x = bar.a.x + static_cast<float>(i) * (each + gap);
      draw->AddRectFilled({snap(x), bar.a.y}, {snap(x + each), bar.b.y}, i < done ? t.hand.line : t.background.line,
                          px(t.radius.bar));
    }
  }
  const Rect help = rect(px(16), snap(rail.b.y - px(80)), rail.width() - px(33), px(32));
  const bool asked = !collapsed && button("help", help, {.label = say("Help"), .icon = Icon::help});
  const std::string_view pressed = foot(session, rail, collapsed);
  help_menu(session, actions, collapsed ? ImVec2(rail.b.x + px(4), rail.b.y - px(8)) : ImVec2(help.a.x, help.a.y - px(4)),
            asked || pressed == "help");
  if (pressed == "settings") open_overlay(session, Overlay::settings);
  if (pressed == "glossary") open_glossary(session);
  if (pressed == "appearance")
    actions.set_appearance(session.appearance == Appearance::dark ? Appearance::light : Appearance::dark);
}

}  // namespace warpbook::app
