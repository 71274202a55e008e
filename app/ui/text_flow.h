// Flow: running text with strong words and code in it, broken into lines.
//
//     y += draw_text_flow(draw, spans, {x, y}, width, prose_style());
//     y += draw_text_flow(draw, spans, {x, y}, width, prose_style(), &spots);     // and where its links and terms stand
#pragma once

#include <imgui.h>

#include <span>
#include <string_view>
#include <vector>

#include "app/ui/hit_area.h"
#include "app/ui/theme.h"
#include "lessons/page.h"

namespace warpbook::app {

struct TextFlowStyle {
  Face plain = Face::prose, strong = Face::prose_strong, code = Face::prose_code;
  ImU32 colour = 0, strong_colour = 0, code_colour = 0;
  float line = 0;  // line height, screen pixels
};
[[nodiscard]] TextFlowStyle prose_style();  // of the page
[[nodiscard]] TextFlowStyle note_style();   // of sentences under code lines and in boxes

/// Where a link or a term stands; one that is broken over lines has several.
struct TextFlowSpot {
  std::size_t span = 0;
  Rect area;
};

/// Height used. A null `draw` only measures. Links are underlined, terms of the glossary dotted.
float draw_text_flow(ImDrawList* draw, std::span<const lessons::Span> spans, ImVec2 at, float width, const TextFlowStyle& style,
                     std::vector<TextFlowSpot>* spots = nullptr);

/// "What will `c[0]` hold?" → spans, code between backticks.
[[nodiscard]] std::vector<lessons::Span> inline_code(std::string_view words);

}  // namespace warpbook::app
