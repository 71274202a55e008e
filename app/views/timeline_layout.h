// TimelineLayout: the SM timeline's rows, what a pixel of a row shows, and where zooming leads. Pure: no ImGui, no colours.
//
//     const LaneRows rows = pack_lanes(clock.timeline, {.pitch = 8, .sm_gap = 4});
//     for (const LanePiece& p : pieces_of(lane, {0, 4200}, 600)) bar(p.begin, p.end, p.state);
//
// Columns are screen pixels from the plot's left edge; cycles are the model's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/clock_report.h"

namespace warpbook::app {

/// Warps of a scheduler that follow one another share a row; warps that are resident together do not.
struct LaneRow {
  std::uint16_t sm = 0, scheduler = 0;
  std::vector<std::uint32_t> lanes = {};  // of the timeline, by time
  float y = 0;                            // from the top of all rows
};
struct LaneRows {
  std::vector<LaneRow> rows;  // by SM and scheduler
  float pitch = 1, height = 0;

  [[nodiscard]] std::optional<std::size_t> hit(float y) const;  // the row, none in a gap
};
struct LaneSpacing {
  float pitch = 8;                      // from row to row
  float scheduler_gap = 0, sm_gap = 0;  // more between two schedulers, between two SMs
};
[[nodiscard]] LaneRows pack_lanes(const gpu::Timeline& timeline, const LaneSpacing& spacing);
/// How many rows there are at all, and how many SMs.
struct LaneCount {
  std::size_t rows = 0, schedulers = 0, sms = 0;
};
[[nodiscard]] LaneCount count_of(const LaneRows& rows);

/// The cycles in sight.
struct CycleWindow {
  double from = 0, to = 1;
  [[nodiscard]] double cycles() const { return to - from; }
};

/// Neighbouring pixels that look the same.
struct LanePiece {
  std::uint32_t begin = 0, end = 0;               // columns: [begin, end)
  gpu::WarpState state = gpu::WarpState::issued;  // what the warp did longest, apart from issuing; issued: nothing else
  float issued = 0;                               // share of the cycles in which it issued, in eighths
};
/// What each of `columns` pixels shows. Takes time for the spans in sight and the columns, not for the whole lane.
[[nodiscard]] std::vector<LanePiece> pieces_of(const gpu::WarpLane& lane, const CycleWindow& window, std::uint32_t columns);

/// The share of a pixel's cycles in which a scheduler issued an instruction of some warp, 0 … 1, for each of `columns` pixels.
[[nodiscard]] std::vector<float> issued_shares(const gpu::Timeline& timeline, std::uint16_t sm, std::uint16_t scheduler,
                                               const CycleWindow& window, std::uint32_t columns);

/// The span at a cycle; nullptr where the warp was not there.
[[nodiscard]] const gpu::WarpLane::Span* span_at(const gpu::WarpLane& lane, double cycle);
/// The row's lane at a cycle.
[[nodiscard]] const gpu::WarpLane* lane_at(const gpu::Timeline& timeline, const LaneRow& row, double cycle);

/// Part of an axis in sight, 0 … 1.
struct AxisPart {
  double from = 0, to = 1;
  [[nodiscard]] bool whole() const { return from <= 0 && to >= 1; }
};
/// factor < 1 comes closer. What is at `at` (0 … 1 of what is in sight) stays there; never closer than `least` of the axis.
[[nodiscard]] AxisPart zoom(const AxisPart& part, double at, double factor, double least);
/// Moves by a share of what is in sight, as far as the axis goes.
[[nodiscard]] AxisPart pan(const AxisPart& part, double by);

}  // namespace warpbook::app
