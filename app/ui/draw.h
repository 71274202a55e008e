// Draw: the few ImDrawList helpers that panels and views share. Positions in screen pixels; colours from theme().
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>

#include "app/ui/theme.h"

namespace warpbook::app {

enum class Align { left, centre, right };

/// What the window that is being built is drawn on.
[[nodiscard]] inline ImDrawList* canvas() { return ImGui::GetWindowDrawList(); }

/// Text whose box's top is at `at.y`; `at.x` is its left, middle or right. Returns its width.
/// The box is line_height(face) high and the text stands in its middle, as in CSS.
float text(ImDrawList* draw, Face face, ImVec2 at, ImU32 colour, std::string_view words, Align align = Align::left);
[[nodiscard]] float text_width(Face face, std::string_view words);

/// The same, cut with … where it is wider than `width`.
float text_clipped(ImDrawList* draw, Face face, ImVec2 at, float width, ImU32 colour, std::string_view words);
/// Broken into lines where it is wider than `width`. Returns the height.
float paragraph(ImDrawList* draw, Face face, ImVec2 at, float width, ImU32 colour, std::string_view words);
/// A path that is too wide, without its beginning: "…/Documents/mine.cu". Its end says more.
[[nodiscard]] std::string end_that_fits(Face face, std::string words, float width);
/// The baseline's distance from the top of the text's box: what puts two faces on one line.
[[nodiscard]] float baseline(Face face);
[[nodiscard]] float snap(float v);  // to a whole pixel: bars and hairlines

/// Words as they are drawn, whole sentences even where they are broken into lines, and how much room there is for them in their
/// line.
struct DrawnWords {
  std::string_view words;
  Face face = Face::body;
  float width = 0, room = 0;  // screen pixels; a paragraph has all the room that it needs
};
/// For tests: called with all words that are drawn from now on. Empty: nobody is.
void hear_drawn_words(std::function<void(const DrawnWords&)> listener);
/// For those few who do not draw words by one of the functions above.
void note_drawn_words(Face face, std::string_view words);
/// Part of words that note_drawn_words() was told of as a whole; otherwise as text().
float part_of_text(ImDrawList* draw, Face face, ImVec2 at, ImU32 colour, std::string_view part);

/// A horizontal or vertical line of one CSS pixel, on whole screen pixels; `a` is its top or left edge.
void hairline(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour);
void hatch(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour, float spacing_css = 6.0f);  // 45° lines, clipped to the box
void dashed_line(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour, float on_css = 3, float off_css = 3, float thickness_css = 1);
void dashed_box(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour);
void tick(ImDrawList* draw, ImVec2 centre, float size, ImU32 colour);
void cross(ImDrawList* draw, ImVec2 centre, float size, ImU32 colour);
void pencil(ImDrawList* draw, ImVec2 centre, float size, ImU32 colour);

/// The 14 px glyph of a finding's kind.
void finding_glyph(ImDrawList* draw, gpu::FindingKind kind, ImVec2 centre, float size, ImU32 colour);

}  // namespace warpbook::app
