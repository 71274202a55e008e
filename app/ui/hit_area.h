// HitArea: an area that can be hovered, clicked and focused, under a name. Widgets and views are made of these.
//
//     const HitArea at = hit_area("memory_map/requests", area);
//     if (at.clicked) …
//     for (const NamedRect& w : named_widgets()) print(w.name, w.area.a.x);      // of this frame; tests click by name
//
// Areas are in screen pixels, in the current ImGui window. Names are unique in a frame.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/theme.h"

namespace warpbook::app {

struct Rect {
  ImVec2 a, b;
  [[nodiscard]] float width() const { return b.x - a.x; }
  [[nodiscard]] float height() const { return b.y - a.y; }
  [[nodiscard]] ImVec2 centre() const { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }
};
[[nodiscard]] Rect rect(float x, float y, float width, float height);

struct NamedRect {
  std::string name;
  Rect area;
  Rect seen = area;      // the part of it that is not cut off by a panel or a scrolled list
  ImGuiID id = 0;        // of the item that can have the keyboard focus; 0: there is none
  bool pressed = false;  // it can be clicked now; false: it only shows something, or is disabled
};
void forget_widgets();  // at the start of a frame
[[nodiscard]] const std::vector<NamedRect>& named_widgets();
/// While it exists, what is drawn registers no names: the widgets of a picture for a file cannot be clicked.
class UnnamedWidgets {
 public:
  UnnamedWidgets();
  ~UnnamedWidgets();
  UnnamedWidgets(const UnnamedWidgets&) = delete;
  UnnamedWidgets& operator=(const UnnamedWidgets&) = delete;

 private:
  std::vector<NamedRect> kept_;
};
[[nodiscard]] bool widgets_are_unnamed();  // such a picture is being drawn: links and buttons are left out
void name_widget(std::string_view name, const Rect& area);
void name_focus(ImGuiID id);  // of the widget named last: where Tab stops
/// For an item that is not a hit_area(): gives it the focus if Tab has reached the widget.
void take_focus(std::string_view name, ImGuiID id, const Rect& area);
/// [{"name": "run", "x": …, "y": …, "width": …, "height": …}] in screen pixels of the window.
[[nodiscard]] std::string widgets_as_json();

/// Called once, after ImGui's backend has set its keys: from then on ImGui does not react to Tab, arrows and Enter, and the
/// following functions do.
void take_keys_over();
/// Tab: the focus goes to the next widget of the last frame, in the order in which they were drawn; −1: to the one before.
void move_focus(int direction);
/// The widget gets the focus when it is drawn next, as if Tab had reached it.
void focus_on(std::string_view name);
/// From here on, only what is drawn later in this frame is a Tab stop: an overlay covers the rest.
void forget_stops();
/// Left and right arrow: the widget with the focus moves by so many steps in the next frame, if it can be moved.
void adjust_focused(int steps);
[[nodiscard]] int adjustment();  // for the widget of the last hit_area() call, if it has the focus
/// The widget that has the focus, if it is visible; nullptr: none.
[[nodiscard]] const NamedRect* focused_widget();
/// Enter: clicks the widget that has the focus, if it is visible.
void press_focused();

/// What the mouse and the keyboard do with an area in this frame.
struct HitArea {
  bool hovered = false, held = false, clicked = false, focused = false;
  Rect area = {};  // hints are drawn beside it
};
[[nodiscard]] HitArea hit_area(std::string_view name, const Rect& area, bool enabled = true);
/// The fill colour of a control in this state.
[[nodiscard]] ImU32 fill_of(const HitArea& at);
void focus_ring(const Rect& area, ImU32 colour, float radius_css);
/// A tooltip when the area has been hovered for a moment. It is drawn below or above the area; with HintAt::beside, right or left
/// of it, so that it does not cover the other entries of a list.
enum class HintAt : std::uint8_t { below, beside };
void hint(const HitArea& at, std::string_view words, HintAt where = HintAt::below);
/// Seconds until a hint becomes visible where the mouse is now, so that a frame is drawn then; 0: no hint is pending.
[[nodiscard]] double hint_wait();
/// A hint that is also shown while the area has the keyboard focus: for a word that is explained.
void explain(const HitArea& at, std::string_view words, HintAt where = HintAt::below);

enum class Icon {
  none,
  play,
  pause,
  stop,
  chevron_down,
  chevron_left,
  chevron_right,
  to_start,
  to_end,
  settings,
  appearance,
  glossary,
  help,
  undo,
  redo,
  folder,
  file
};
void icon(ImDrawList* draw, Icon which, ImVec2 centre, float size, ImU32 colour);

struct ButtonLook {
  std::string_view label = {};
  Icon icon = Icon::none;
  bool primary = false;  // in the accent colour; there is one in a window
  bool enabled = true;
  std::string_view hint = {};
};
bool button(std::string_view name, const Rect& area, const ButtonLook& look);
/// As wide as a button with this label wants to be.
[[nodiscard]] float button_width(const ButtonLook& look);
/// Words that can be clicked, without a box; `at` is the top left of the text. Returns true when clicked.
bool link(std::string_view name, Face face, ImVec2 at, std::string_view label, ImU32 colour, bool underlined = false);

}  // namespace warpbook::app
