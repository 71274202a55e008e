// Variable table: the source's variables as rows, a warp's lanes as columns.
//
//     draw_variables(stepper, area);
//
// What the last move changed is marked, lane by lane; what all lanes share is written once. The page of lanes that holds the chosen
// one is shown, and a card with all 32 values where the mouse rests on a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/steps.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

void draw_variables(Stepper& stepper, const Rect& area);

/// All 32 values of a row beside the mouse.
void value_card(std::string_view title, const std::vector<std::string>& lanes);
/// Rows that are scrolled by the wheel, and a bar beside them; `content`: their height.
void scroll_with_wheel(const Rect& area, float content, float& scroll);
/// As much of an area as whole rows take.
[[nodiscard]] Rect whole_rows(Rect area);

inline constexpr float step_row_height = 20;  // CSS pixels

}  // namespace warpbook::app
