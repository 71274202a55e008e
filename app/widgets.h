// Widgets: buttons, fields, switches and choosers as layout.md draws them, on ImDrawList over invisible ImGui items.
//
//     if (button("run", area, {.label = "Run", .icon = Icon::play, .primary = true})) actions.run();
//     for (const NamedRect& w : named_widgets()) print(w.name, w.x, w.y);      // this frame's, for tests that click by name
//
// A widget is given its rectangle (screen pixels) and draws into the current ImGui window. Names are unique in a frame.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw.h"
#include "app/session.h"
#include "lessons/lesson.h"

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
  ImGuiID id = 0;  // of what can have the keyboard focus; 0: nothing
};
void forget_widgets();  // at the start of a frame
[[nodiscard]] const std::vector<NamedRect>& named_widgets();
void name_widget(std::string_view name, const Rect& area);
/// [{"name": "run", "x": …, "y": …, "width": …, "height": …}] in screen pixels of the window.
[[nodiscard]] std::string widgets_as_json();

/// Tab: the focus goes to the next widget of the last frame, in the order in which they were drawn; −1: to the one before.
void move_focus(int direction);
/// Enter: presses the widget that has the focus, if it shows.
void press_focused();

/// What the mouse and the keyboard do with an area.
struct Touch {
  bool hovered = false, held = false, clicked = false, focused = false;
};
[[nodiscard]] Touch touch(std::string_view name, const Rect& area, bool enabled = true);
void focus_ring(const Rect& area, ImU32 colour, float radius_css);
/// Shown when the last touched area has been hovered for a moment.
void hint(const Touch& at, std::string_view words);

enum class Icon { none, play, pause, stop, chevron_down, chevron_left, chevron_right, to_start, to_end };
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

/// A number as a learner reads it in a field: "0.25", "2000", never "0.250000".
[[nodiscard]] std::string field_text(double value, lessons::Control::Kind kind);

/// A field that is a slider with typed entry: drag it, or click and type. New value, once it is accepted.
[[nodiscard]] std::optional<double> number_field(std::string_view name, const Rect& area, const lessons::Control& control,
                                                 double value, Typing& typing);
/// A number that is one of many rather than more or less: typed, or the next one. It has no slider.
[[nodiscard]] std::optional<double> seed_field(std::string_view name, const Rect& area, const lessons::Control& control,
                                               double value, Typing& typing);
/// A number that counts only when it is entered; `typed` keeps what stands there meanwhile.
[[nodiscard]] std::optional<double> guess_field(std::string_view name, const Rect& area, std::string& typed, Typing& typing);
[[nodiscard]] bool toggle(std::string_view name, const Rect& area, bool on);  // true: it was clicked

/// Words in a small box that is on or off, marked in the hand's colour; true: it was clicked. `chip_width` wide, `chip_height`
/// high.
bool chip(std::string_view name, const Rect& area, std::string_view label, bool on, bool enabled = true, std::string_view why = {});
[[nodiscard]] float chip_width(std::string_view label);
[[nodiscard]] float chip_height();
/// A row of a list that has popped up, at ImGui's cursor; true: it was clicked. `why_not`: it cannot be chosen, and why.
bool list_row(const std::string& name, std::string_view label, bool chosen, float width, std::string_view why_not = {});

struct Segment {
  std::string name, label;
  bool enabled = true;
  bool chevron = false;
  std::string hint = {};
};
/// The segment that was clicked.
[[nodiscard]] std::optional<std::size_t> segments(const Rect& area, std::span<const Segment> items, std::size_t chosen, Face face);
[[nodiscard]] std::vector<float> segment_widths(std::span<const Segment> items, Face face);

/// Where a control's value stands between its least and most, and the other way round.
[[nodiscard]] double position_of(const lessons::Control& control, double value);  // 0 … 1
[[nodiscard]] double value_at(const lessons::Control& control, double position);  // rounded to its step

/// Parses what was typed; the sentence says what is wrong with it.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
[[nodiscard]] std::string range_problem(const lessons::Control& control, double value);  // empty: in range

}  // namespace warpbook::app
