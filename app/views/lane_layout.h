// LaneLayout: where the stretches of a warp's instructions stand in the lane timeline, and which of them are labelled. Pure: no
// ImGui, no colours.
//
//     const std::vector<StretchRow> rows = stretch_rows(warp, {.instructions = 600, .height = 320, .label = 16});
//
// Lengths are screen pixels from the plot's top.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/figures.h"

namespace warpbook::app {

/// A stretch of LaneTimeline::Warp, in its order.
struct StretchRow {
  float y0 = 0, y1 = 0;  // whole pixels; at least one apart
  float label = -1;      // top of its label; below 0: it has none
};

struct StretchRoom {
  std::uint64_t instructions = 1;  // that `height` stands for
  float height = 1, label = 1;     // of the plot; of a label
};

/// Heights are in proportion to instructions. Labels stand beside the middle of their stretch and do not overlap: the longest
/// stretches come first. Neighbours with the same lines have one label, which is the first one's.
[[nodiscard]] std::vector<StretchRow> stretch_rows(const lessons::LaneTimeline::Warp& warp, const StretchRoom& room);

/// The lanes of a mask in words: "0–15", "0, 2, 4 …", "all 32".
[[nodiscard]] std::string lane_words(std::uint32_t mask);

}  // namespace warpbook::app
