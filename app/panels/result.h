// Result: the largest text on the page. One number in `first`, what went wrong in `bad`; all on one baseline.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"
#include "app/views/views.h"

namespace warpbook::app {

/// The numbers of the last outcome, or in their place why there is none. Height used.
float draw_result(Session& session, ImVec2 at, float width, ViewState& views);

/// What stands behind a number; nothing behind one that is none ("not a number %").
[[nodiscard]] std::string_view unit_of(const lessons::Number& number);
/// As it is copied: "Lost: 4095", "Time: 0.25 ms".
[[nodiscard]] std::string number_words(const lessons::Number& number);
/// What its unit takes behind it.
[[nodiscard]] float unit_width(const lessons::Number& number);

[[nodiscard]] ImU32 colour_of(lessons::Number::Tone tone);

/// "The launch failed": a box with CUDA's name and what to do next.
float draw_failure(std::string_view title, std::string_view name, std::string_view message, ImVec2 at, float width);

}  // namespace warpbook::app
