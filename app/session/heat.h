// Heat: what each line of the kernel cost, as the editor shows it beside the line. Pure: no drawing.
//
//     for (const HeatCell& cell : heat_of(report, HeatColumn::sectors)) tint(cell.line, cell.heat, cell.text);
//     for (const HeatFact& fact : facts_of(report, 9)) say(fact.label, fact.value);
//
// Figures are those of LaunchReport::lines. What was not observed has no cell.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/message.h"
#include "gpu/report.h"

namespace warpbook::app {

/// What the column beside the lines shows.
enum class HeatColumn : std::uint8_t { off, executions, lanes, sectors, conflicts, stalls };
struct HeatChoice {
  HeatColumn column;
  std::string_view name;  // for tests that click
  ToSay label, help;
};
inline constexpr std::array<HeatChoice, 6> heat_choices{{
    {HeatColumn::off, "off", to_say("Off"), to_say("Nothing beside the lines.")},
    {HeatColumn::executions, "executions", to_say("Issued"), to_say("Instructions of the line that warps issued.")},
    {HeatColumn::lanes, "lanes", to_say("Lanes"), to_say("How many of a warp's 32 lanes were active, on average.")},
    {HeatColumn::sectors, "sectors", to_say("Sectors"),
     to_say("Sectors are pieces of 32 bytes: global memory moves whole ones. How many a request of a warp moved, on average.")},
    {HeatColumn::conflicts, "conflicts", to_say("Passes"),
     to_say("Passes are turns of shared memory at serving a request. How many a request or an atomic took, on average.")},
    {HeatColumn::stalls, "stalls", to_say("Stalls"),
     to_say("Stalls are cycles in which a warp cannot go on. The share of all of them that happened at this line (model).")},
}};

struct HeatCell {
  std::uint32_t line = 0;  // from 1
  std::string text;        // at most six characters
  float heat = 0;          // 0 … 1: how much of a cost it is
};
[[nodiscard]] std::vector<HeatCell> heat_of(const gpu::LaunchReport& report, HeatColumn column);

/// All figures of a line; empty where nothing was counted.
struct HeatFact {
  std::string label, value;
};
[[nodiscard]] std::vector<HeatFact> facts_of(const gpu::LaunchReport& report, std::uint32_t line);

}  // namespace warpbook::app
