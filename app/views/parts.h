// Parts: what the views share when they draw: where a view begins and ends, its title row, segments, chips of text, hover cards.
//
//     Sheet sheet = begin_view(width);
//     float y = title_row(sheet, "The launch returns before the kernel ends", "time is the model's");
//     …                                            // draw on sheet.draw, from sheet.at + y
//     end_view(sheet, y, state.stale);
//
// Everything is immediate: nothing here keeps state. Positions are screen pixels, lengths named _css CSS pixels.
#pragma once

#include <imgui.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/draw.h"
#include "app/ui/theme.h"
#include "app/views/layout.h"

namespace warpbook::app {

struct Sheet {
  ImDrawList* draw = nullptr;
  ImVec2 at;  // top left, on whole pixels
  float width = 0;
  Box visible;  // what of the window can be seen: cards stay inside
  [[nodiscard]] float right() const { return at.x + width; }
};
[[nodiscard]] Sheet begin_view(float width);
/// Leaves the cursor below; dims what was drawn when it is stale.
void end_view(const Sheet& sheet, float height, bool stale);

/// The mouse is in `box` and nothing lies over this window there.
[[nodiscard]] bool mouse_over(const Box& box);
[[nodiscard]] inline ImVec2 top_left(const Box& box) { return {box.x0, box.y0}; }
[[nodiscard]] inline ImVec2 bottom_right(const Box& box) { return {box.x1, box.y1}; }
[[nodiscard]] Box moved(const Box& box, ImVec2 by);

/// A legend's entry.
struct Swatch {
  enum class Shape { solid, tint, outline, line, hatched, ring } shape = Shape::solid;
  ImU32 colour = 0;
  std::string_view label;
};
/// The view's title with a note or a legend at its right, below it where the width is short. Returns the height, with its gap.
[[nodiscard]] float title_row(const Sheet& sheet, std::string_view title, std::string_view note);
[[nodiscard]] float title_row(const Sheet& sheet, std::string_view title, std::span<const Swatch> legend);

/// A legend of its own below a title, on as many lines as it needs. Returns the height, with its gap.
[[nodiscard]] float legend_rows(const Sheet& sheet, float top, std::span<const Swatch> legend);

/// A segment is a tint with an edge in full colour; solid means "this one counts".
[[nodiscard]] ImU32 tint(ImU32 colour);
[[nodiscard]] ImU32 on_series();  // text on a solid series colour
void segment(ImDrawList* draw, const Box& box, ImU32 colour);
void waiting(ImDrawList* draw, const Box& box);

/// A line of the kernel (from 1) without its indentation, cut to a hover card's width; empty where there is none.
[[nodiscard]] std::string source_line(std::string_view source, std::uint32_t line);

/// Hatching for many narrow boxes: the same lines as hatch(), cut by arithmetic instead of by a clip rectangle each.
void hatch_narrow(ImDrawList* draw, const Box& box, ImU32 colour);

/// Text in the middle of a box, if it fits with `margin_css` at each side.
bool text_inside(ImDrawList* draw, Face face, const Box& box, ImU32 colour, std::string_view words, float margin_css = 6);

/// A ring around the item under the mouse, and a fainter one around its row.
void ring(ImDrawList* draw, const Box& box, ImU32 colour, float thickness_css = 1.5f, float radius_css = 2, float away_css = 1);

/// What a hover card says, line by line.
struct Fact {
  std::string label, value;  // the value in digits, at the right
  ImU32 colour = 0;          // of the value; 0: first
};
/// Opens a card's list of draw commands, above everything of this window; close with end_card.
[[nodiscard]] ImDrawList* begin_card(const Sheet& sheet, const Box& card);
void end_card(ImDrawList* overlay);
/// A whole card: a title, a note at its right, facts.
void fact_card(const Sheet& sheet, const Box& item, std::span<const Box> avoid, std::string_view title, std::string_view note,
               std::span<const Fact> facts);

/// Ticks and their numbers under a plot that runs from x0 (value low) to x1 (value high), and the grid lines through it.
struct Axis {
  double low = 0, high = 1;
  float x0 = 0, x1 = 1;
  [[nodiscard]] float x(double value) const {
    return high > low ? snap(x0 + static_cast<float>((value - low) / (high - low)) * (x1 - x0)) : x0;
  }
};

}  // namespace warpbook::app
