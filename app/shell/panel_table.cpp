#include "app/shell/panel_table.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/panels/bench.h"
#include "app/panels/change_values.h"
#include "app/panels/copy.h"
#include "app/panels/overlays.h"
#include "app/panels/page.h"
#include "app/panels/present.h"
#include "app/panels/rail.h"
#include "app/panels/sweep.h"
#include "app/panels/tour.h"
#include "app/ui/key_pointer.h"
#include "app/views/views.h"

namespace warpbook::app {
namespace {

constexpr float scroll_line = 48;  // CSS pixels a press of an arrow

bool presenting(const Session& session) { return session.presenting; }
bool working(const Session& session) { return !session.presenting; }
bool sweeping(const Session& session) { return working(session) && session.lessons.at(session.open->id).sweep.open; }
bool reading(const Session& session) { return working(session) && !sweeping(session); }

constexpr std::array<Panel, 5> panel_table{{
    {"rail", &Layout::rail, false, working, draw_rail},
    {"page", &Layout::page, true, reading, draw_page},
    {"sweep", &Layout::page, true, sweeping, draw_sweep_panel},
    {"present", &Layout::page, false, presenting, draw_present},
    {"bench", &Layout::bench, false, working, draw_bench},  // after the page: its chips show what the page's views are hovered at
}};

}  // namespace

std::span<const Panel> panels() { return panel_table; }

void draw_workbook(Session& session, Actions& actions, ImVec2 size) {
  forget_widgets();
  code_counters() = {};
  session.hover.reset();
  const bool typing = !session.typing.name.empty();
  const std::vector<KeyEvent> keys = session.keys;
  if (typing) session.typing.keys = std::exchange(session.keys, {});
  const lessons::Lesson* const laid_out = session.open;
  const auto& views = session.open->views;
  const bool wide_page = std::any_of(views.begin(), views.end(), [](const auto& view) { return view_traits(view).wide; });
  const Layout layout =
      session.presenting
          ? Layout{.rail = {}, .page = rect(0, 0, size.x, size.y), .bench = rect(size.x, 0, 0, size.y)}
          : arrange(size.x, size.y, session.rail_folded.value_or(wide_page), session.bench_unfolded, session.bench_width);
  // What is shown is decided before the first of them is drawn: a panel may end its own days.
  std::vector<const Panel*> shown;
  for (const Panel& panel : panels()) {
    if (panel.shown(session)) shown.push_back(&panel);
  }
  const bool presented = session.presenting;
  for (const Panel* each : shown) {
    const Panel& panel = *each;
    const Rect& area = layout.*panel.area;
    // An unfolded bench lies over the page: the page's window ends there, its layout does not change.
    const float right = panel.area == &Layout::page ? std::min(area.b.x, layout.bench.a.x) : area.b.x;
    ImGui::SetNextWindowPos(area.a);
    ImGui::SetNextWindowSize({right - area.a.x, area.height()});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, panel.area == &Layout::page ? theme().background.page : theme().background.window);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                             ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (panel.scrolls)
      flags &= ~ImGuiWindowFlags_NoScrollbar;
    else
      flags |= ImGuiWindowFlags_NoScrollWithMouse;
    // Two lessons' pages scroll apart: a window each.
    const std::string name = std::string(panel.id) + (panel.scrolls ? "##" + session.open->id : "");
    if (ImGui::Begin(name.c_str(), nullptr, flags)) panel.draw(session, actions, layout);
    ImGui::End();
    ImGui::PopStyleColor();
  }
  draw_overlay(session, actions, size);
  draw_tour(session);
  draw_copied(session, layout.page);
  // A lesson opened in this frame stood in the last one's layout: its widgets are where they belong from the next frame on.
  if (session.open != laid_out || session.presenting != presented) forget_widgets();
  // What the editor did not want moves the focus or presses; of a field's keys, Tab.
  const float page = layout.page.height() * 0.9f;
  for (const KeyEvent& event : typing ? keys : session.keys) {
    if (!typing && point_by_key(event)) continue;
    if (event.key == KeyEvent::Key::tab) move_focus(event.shift ? -1 : 1);
    const bool space = event.key == KeyEvent::Key::character && event.codepoint == U' ';
    if (((event.key == KeyEvent::Key::enter && !event.ctrl) || space) && !typing) press_focused();
    if (event.key == KeyEvent::Key::escape && !typing) {
      if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
        ImGui::ClosePopupToLevel(0, true);
        continue;
      }
      if (session.overlay == Overlay::none) session.presenting = false;
      session.overlay = Overlay::none;
    }
    if (event.ctrl && event.key == KeyEvent::Key::c && !typing) copy_focused();
    // The controls' own way back: where a text has the keyboard, it undoes there.
    if (event.ctrl && !typing && session.overlay == Overlay::none) {
      if (event.key == KeyEvent::Key::y || (event.key == KeyEvent::Key::z && event.shift))
        redo_values(session, actions);
      else if (event.key == KeyEvent::Key::z)
        undo_values(session, actions);
    }
    if (event.key == KeyEvent::Key::left || event.key == KeyEvent::Key::right)
      adjust_focused(event.key == KeyEvent::Key::left ? -1 : 1);
    if (event.key == KeyEvent::Key::up || event.key == KeyEvent::Key::down)
      session.scroll_by += (event.key == KeyEvent::Key::up ? -1.0f : 1.0f) * px(scroll_line);
    if (event.key == KeyEvent::Key::page_up || event.key == KeyEvent::Key::page_down)
      session.scroll_by += event.key == KeyEvent::Key::page_up ? -page : page;
  }
  session.keys.clear();
}

}  // namespace warpbook::app
