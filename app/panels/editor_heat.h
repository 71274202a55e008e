// EditorHeat: the column beside the kernel's lines, its switch above them and the card with all figures of a line.
//
//     draw_heat_switch(session, row);
//     for (const HeatCell& cell : heat_of(*report, session.heat)) draw_heat_cell(draw, place_of(cell.line), cell);
#pragma once

#include "app/session/heat.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// The report whose lines are those of the text as it stands; nullptr where there is none.
[[nodiscard]] const gpu::LaunchReport* lines_report(const LessonState& state);

void draw_heat_switch(Session& session, const Rect& row);
void draw_heat_cell(ImDrawList* draw, const Rect& area, const HeatCell& cell);
/// All figures of a line, beside `item`; nothing where nothing was counted.
void heat_card(const gpu::LaunchReport& report, std::uint32_t line, const Rect& item);

}  // namespace warpbook::app
