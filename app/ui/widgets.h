// Widgets: buttons, fields, switches and choosers drawn with ImDrawList over invisible ImGui items.
//
//     if (button("run", area, {.label = "Run", .icon = Icon::play, .primary = true})) actions.run();
//
// A widget is given its rectangle (screen pixels) and draws into the current ImGui window. Names are unique in a frame.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/typing.h"
#include "app/ui/draw.h"
#include "app/ui/hit_area.h"
#include "lessons/lesson.h"

namespace warpbook::app {

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
/// A line of words. The words, once they are entered or left; `placeholder` stands where there are none.
[[nodiscard]] std::optional<std::string> text_field(std::string_view name, const Rect& area, std::string_view words,
                                                    std::string_view placeholder, Typing& typing);
[[nodiscard]] bool toggle(std::string_view name, const Rect& area, bool on);  // true: it was clicked

/// Words in a small box that is on or off, marked in the accent colour; true: it was clicked. `chip_width` wide, `chip_height`
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

/// A few steps further, as the slider's keys take them: of a logarithmic control to the next power of two.
[[nodiscard]] double stepped(const lessons::Control& control, double value, int steps);

/// Parses what was typed; the sentence says what is wrong with it.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
[[nodiscard]] std::string range_problem(const lessons::Control& control, double value);  // empty: in range

}  // namespace warpbook::app
