// CodeLine: a line of CUDA C++ in its colours.
//
//     draw_code_line(draw, Face::code, {x, y}, line, spans);     // spans: highlight.h
#pragma once

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/text/highlight.h"
#include "app/ui/theme.h"

namespace warpbook::app {

[[nodiscard]] ImU32 colour_of(CodeKind kind);

/// inactive: left out by the preprocessor, all in one quiet colour.
void draw_code_line(ImDrawList* draw, Face face, ImVec2 at, std::string_view line, const std::vector<CodeSpan>& spans,
                    bool inactive = false);

}  // namespace warpbook::app
