#include "app/ui/key_pointer.h"

#include <imgui_internal.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>

#include "app/ui/draw.h"
#include "app/ui/theme.h"

namespace warpbook::app {
namespace {

constexpr float coarse = 8, fine = 1;  // CSS pixels a press of an arrow, and with Ctrl

struct Step {
  ImVec2 at;  // from the view's corner, screen pixels
  bool down = false;
  float wheel = 0;
};

struct {
  std::string view;   // empty: there is no pointer
  ImVec2 at;          // where the last step leads
  ImVec2 mouse, put;  // where the real one rests, and where it was put instead
  std::deque<Step> steps;
  bool down = false;      // in the last frame
  bool pressing = false;  // now or in the last frame: the focus stays with the view, whatever is pressed in it
  std::set<ImGuiID> views;
} state;

bool same(ImVec2 a, ImVec2 b) { return a.x == b.x && a.y == b.y; }

void forget() {
  ImGuiIO& io = ImGui::GetIO();
  if (same(io.MousePos, state.put)) io.MousePos = state.mouse;
  state.view.clear();
  state.steps.clear();
  state.down = state.pressing = false;
}

const NamedRect* named(std::string_view name) {
  const auto& all = named_widgets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedRect& widget) { return widget.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void move(const NamedRect& view, float x, float y, bool dragging) {
  const ImVec2 from = state.at;
  state.at = {std::clamp(from.x + x, 0.0f, view.area.width() - 1), std::clamp(from.y + y, 0.0f, view.area.height() - 1)};
  if (dragging) {
    state.steps.push_back({.at = from, .down = true});
    state.steps.push_back({.at = state.at, .down = true});
  }
  state.steps.push_back({.at = state.at});
}

void press() {
  state.steps.push_back({.at = state.at, .down = true});
  state.steps.push_back({.at = state.at});
}

/// A circle with a dot: it shows on every colour.
void draw_pointer(ImVec2 at) {
  ImDrawList* draw = ImGui::GetForegroundDrawList();
  draw->AddCircle(at, px(6), theme().background.page, 0, px(3.5f));
  draw->AddCircle(at, px(6), theme().hand.line, 0, px(1.5f));
  draw->AddCircleFilled(at, px(1.5f), theme().hand.line);
}

}  // namespace

void name_view(std::string_view name, const Rect& area) {
  name_widget(name, area);
  ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiID id = window->GetID(name.data(), name.data() + name.size());
  ImGui::ItemAdd(ImRect(area.a, area.b), id);
  name_focus(id);
  state.views.insert(id);
  take_focus(name, id, area);
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (state.view == name && state.pressing) {
    ImGui::SetFocusID(id, window);
    g.NavDisableHighlight = false;
  }
  const float away = px(6);  // so that the ring touches no words
  if (g.NavId == id && !g.NavDisableHighlight)
    focus_ring({{area.a.x - away, area.a.y - away}, {area.b.x + away, area.b.y + away}}, theme().hand.line, theme().radius.box);
  if (state.view != name) return;
  const ImVec2 at{area.a.x + state.at.x, area.a.y + state.at.y};
  const float margin = px(24), top = std::max(window->InnerClipRect.Min.y, canvas()->GetClipRectMin().y) + margin,
              bottom = window->InnerClipRect.Max.y - margin;
  if (at.y < top || at.y > bottom) ImGui::SetScrollY(ImGui::GetScrollY() + at.y - std::clamp(at.y, top, bottom));
  draw_pointer(at);
}

bool point_by_key(const KeyEvent& event) {
  using Key = KeyEvent::Key;
  const NamedRect* const view = focused_widget();
  if (view == nullptr || !state.views.contains(view->id)) return false;
  const bool begun = state.view == view->name;
  const bool arrow = event.key == Key::left || event.key == Key::right || event.key == Key::up || event.key == Key::down;
  const char32_t letter = event.key == Key::character ? event.codepoint : 0;
  const bool presses = (event.key == Key::enter && !event.ctrl) || letter == U' ';
  if (event.key == Key::escape && begun) {
    forget();
    return true;
  }
  if (!arrow && !presses && letter != U'+' && letter != U'-') return false;
  if (!begun) {
    forget();
    state.view = view->name;
    state.at = {view->area.width() / 2, view->area.height() / 2};
    state.mouse = ImGui::GetIO().MousePos;
    state.steps.push_back({.at = state.at});
    return true;
  }
  const float by = px(event.ctrl ? fine : coarse);
  if (event.key == Key::left || event.key == Key::right) move(*view, event.key == Key::left ? -by : by, 0, event.shift);
  if (event.key == Key::up || event.key == Key::down) move(*view, 0, event.key == Key::up ? -by : by, event.shift);
  if (presses) press();
  if (letter == U'+' || letter == U'-') state.steps.push_back({.at = state.at, .wheel = letter == U'+' ? 1.0f : -1.0f});
  return true;
}

void apply_key_pointer() {
  if (state.view.empty()) return;
  ImGuiIO& io = ImGui::GetIO();
  const NamedRect* const view = named(state.view);
  const NamedRect* const focused = focused_widget();
  const bool left = !state.pressing && (focused == nullptr || focused->name != state.view);
  if (view == nullptr || left || !(same(io.MousePos, state.mouse) || same(io.MousePos, state.put))) {
    if (state.down) io.MouseDown[0] = false;
    return forget();
  }
  const Step now = state.steps.front();
  if (state.steps.size() > 1)
    state.steps.pop_front();
  else
    state.steps.front().wheel = 0;
  state.pressing = now.down || state.down;
  state.down = now.down;
  state.put = {view->area.a.x + now.at.x, view->area.a.y + now.at.y};
  io.MousePos = state.put;
  io.MouseDown[0] = now.down;
  io.MouseWheel += now.wheel;
}

bool key_pointer_moves() { return !state.view.empty() && (state.steps.size() > 1 || state.pressing); }

}  // namespace warpbook::app
