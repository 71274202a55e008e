// Flow: running text with strong words and code in it, broken into lines.
//
//     y += draw_flow(draw, spans, {x, y}, width, Prose::page);
#pragma once

#include <imgui.h>

#include <span>
#include <string_view>
#include <vector>

#include "app/theme.h"
#include "lessons/page.h"

namespace warpbook::app {

struct FlowStyle {
  Face plain = Face::prose, strong = Face::prose_strong, code = Face::prose_code;
  ImU32 colour = 0, strong_colour = 0, code_colour = 0;
  float line = 0;  // line height, screen pixels
};
[[nodiscard]] FlowStyle prose_style();  // of the page
[[nodiscard]] FlowStyle note_style();   // of sentences under code lines and in boxes

/// Height used. A null `draw` only measures.
float draw_flow(ImDrawList* draw, std::span<const lessons::Span> spans, ImVec2 at, float width, const FlowStyle& style);

/// "What will `c[0]` hold?" → spans, code between backticks.
[[nodiscard]] std::vector<lessons::Span> inline_code(std::string_view words);

}  // namespace warpbook::app
