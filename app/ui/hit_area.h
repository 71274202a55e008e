// Touch: what the mouse and the keyboard do with a named area, and buttons and links of it. Widgets and views are made of these.
//
//     const Touch at = touch("memory_map/requests", area);
//     if (at.clicked) …
//     for (const NamedRect& w : named_widgets()) print(w.name, w.area.a.x);      // this frame's, for tests that click by name
//
// Areas are in screen pixels, of the current ImGui window. Names are unique in a frame.
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
  Rect seen = area;      // … of it, where a panel or a list that scrolls cuts it off
  ImGuiID id = 0;        // of what can have the keyboard focus; 0: nothing
  bool pressed = false;  // it answers a click, now; false: it only shows, or is disabled
};
void forget_widgets();  // at the start of a frame
[[nodiscard]] const std::vector<NamedRect>& named_widgets();
/// While it lives, what is drawn names nothing: a picture beside the window has widgets that nobody can click.
class NamelessWidgets {
 public:
  NamelessWidgets();
  ~NamelessWidgets();
  NamelessWidgets(const NamelessWidgets&) = delete;
  NamelessWidgets& operator=(const NamelessWidgets&) = delete;

 private:
  std::vector<NamedRect> kept_;
};
[[nodiscard]] bool nameless();  // such a picture is being drawn: what only a click is for is left out
void name_widget(std::string_view name, const Rect& area);
void name_focus(ImGuiID id);  // of the widget named last: where Tab stops
/// Takes the focus where Tab has led to the widget: for an item that is no touch().
void take_focus(std::string_view name, ImGuiID id, const Rect& area);
/// [{"name": "run", "x": …, "y": …, "width": …, "height": …}] in screen pixels of the window.
[[nodiscard]] std::string widgets_as_json();

/// Once, after ImGui's backend has filled in its keys: from then on Tab, arrows and Enter are the following functions' alone.
void take_keys_over();
/// Tab: the focus goes to the next widget of the last frame, in the order in which they were drawn; −1: to the one before.
void move_focus(int direction);
/// The focus goes to a widget when it is drawn next, as if Tab had led to it.
void focus_on(std::string_view name);
/// Tab stops are only what is drawn from here on: a sheet lies over the rest.
void forget_stops();
/// Left and right: the widget with the focus takes them up in the next frame, if it is of a kind that moves.
void adjust_focused(int steps);
[[nodiscard]] int adjustment();  // of the widget that was touched last and has the focus
/// The widget that has the focus, if it shows; nullptr: none.
[[nodiscard]] const NamedRect* focused_widget();
/// Enter: presses the widget that has the focus, if it shows.
void press_focused();

/// What the mouse and the keyboard do with an area.
struct Touch {
  bool hovered = false, held = false, clicked = false, focused = false;
  Rect area = {};  // what was touched: what explains it stands beside
};
[[nodiscard]] Touch touch(std::string_view name, const Rect& area, bool enabled = true);
/// How a control is filled under it.
[[nodiscard]] ImU32 fill_of(const Touch& at);
void focus_ring(const Rect& area, ImU32 colour, float radius_css);
/// Words beside the touched area when it has been hovered for a moment: under it, or above, or where `where` says so beside it, so
/// that they cover neither it nor, in a list, what else can be chosen there.
enum class HintAt : std::uint8_t { below, beside };
void hint(const Touch& at, std::string_view words, HintAt where = HintAt::below);
/// Seconds until a hint may be due where the mouse rests now, so that a frame is drawn then; 0: none is waited for.
[[nodiscard]] double hint_wait();
/// The same also while it has the keyboard's focus: for a word that is explained.
void explain(const Touch& at, std::string_view words, HintAt where = HintAt::below);

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
  bool primary = false;  // the hand's colour; one in a window
  bool enabled = true;
  std::string_view hint = {};
};
bool button(std::string_view name, const Rect& area, const ButtonLook& look);
/// As wide as a button with this label wants to be.
[[nodiscard]] float button_width(const ButtonLook& look);
/// Words that can be clicked, without a box; `at` is the top of its text box. Returns true when clicked.
bool link(std::string_view name, Face face, ImVec2 at, std::string_view label, ImU32 colour, bool underlined = false);

}  // namespace warpbook::app
