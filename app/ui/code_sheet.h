// CodeSheet: lines of code in an area: where each stands, and how they are drawn. Shared by the editor and by what is only read.
//
//     CodeSheet sheet = lay_out(area, lines.size(), text_x, scroll);
//     for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i) draw_code_line(draw, sheet, lines[i], spans[i], …);
//
// The face is monospaced, so that a place in a line is a column times an advance; a tab is four columns. Work a frame is bounded by
// the lines that show: what needs all of them is done when the text changes (HighlightCache) and counted (code_counters).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/text/highlight_cache.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

struct CodeSheet {
  Rect area;
  float text_x = 56;                                 // where the lines begin, CSS pixels from the area's left
  std::size_t lines = 0;                             // of the text
  float line = 0;                                    // height of a line; screen pixels from here on
  float left = 0, top = 0;                           // column 0 and line 0, scrolled
  std::vector<std::pair<std::size_t, float>> below;  // what stands under a line: its height; by line

  [[nodiscard]] float offset_of(std::size_t line_number) const;  // from the text's top
  [[nodiscard]] float y_of(std::size_t line_number) const { return top + offset_of(line_number); }
  [[nodiscard]] float below_line(std::size_t line_number) const;
  [[nodiscard]] std::size_t line_at(float y) const;  // the nearest one
  [[nodiscard]] float height() const;                // of everything
  [[nodiscard]] std::size_t first_visible() const { return line_at(area.a.y); }
  [[nodiscard]] std::size_t end_visible() const { return std::min(line_at(area.b.y) + 1, lines); }
};

inline constexpr float across_height = 12;              // of the bar for scrolling across, CSS pixels
inline constexpr float code_top = 12, code_right = 12;  // paddings of a sheet, CSS pixels

[[nodiscard]] CodeSheet lay_out(const Rect& area, std::size_t lines, float text_x, float scroll_x, float scroll_y);

/// The byte at the column's nearest edge.
[[nodiscard]] std::size_t byte_at_column(std::string_view line, float column);
[[nodiscard]] float code_advance();  // of a column, screen pixels
[[nodiscard]] float code_x(const CodeSheet& sheet, std::string_view line, std::size_t byte);
[[nodiscard]] EditorText::Position position_at(const CodeSheet& sheet, const std::vector<std::string>& lines, ImVec2 mouse);

void draw_code_line(ImDrawList* draw, const CodeSheet& sheet, std::string_view line, const std::vector<CodeSpan>& spans, float y,
                    bool inactive = false);
void draw_line_number(ImDrawList* draw, const CodeSheet& sheet, std::size_t line, bool here, float right_css = 42);
void draw_selection(ImDrawList* draw, const CodeSheet& sheet, const EditorText& text);

/// Mouse: a click places the caret, two select a word, three a line, dragging selects, the wheel scrolls. True while the text has
/// the keyboard. The item is named for tests; Tab stops at it, and Enter begins to work in it.
struct CodeMouse {
  bool active = false;
  bool moved = false;  // the caret, by dragging
};
[[nodiscard]] CodeMouse handle_code_mouse(std::string_view name, const CodeSheet& sheet, EditorText& text, float& scroll_x,
                                          float& scroll_y, bool take_keyboard = false);
/// Where a line goes on beyond the sheet's edges, it fades out there, with an arrow.
void draw_line_ends(ImDrawList* draw, const CodeSheet& sheet, const std::vector<std::string>& lines, float scroll_x);
/// The bar for scrolling across, in `strip`: dragged, or moved by arrows. Draws nothing where every line fits.
void scroll_across(std::string_view name, const Rect& strip, const CodeSheet& sheet, std::size_t columns, float& scroll_x);
/// Whether a line of that many columns is wider than the sheet.
[[nodiscard]] bool goes_on(const CodeSheet& sheet, std::size_t columns);

/// The least scrolling that shows the caret.
void scroll_to_caret(const CodeSheet& sheet, const EditorText& text, float& scroll_x, float& scroll_y);

void draw_code_scrollbar(ImDrawList* draw, const CodeSheet& sheet, float scroll_y);
/// Into what there is to scroll.
void clamp_code_scroll(const CodeSheet& sheet, std::size_t columns, float& x, float& y);

}  // namespace warpbook::app
