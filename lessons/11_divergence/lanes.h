// Lanes: what the lanes of a warp did, from a launch's history.
#pragma once

#include "gpu/history.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// Two warps: the one with the most instructions and the one with the fewest. If all have equally many: the first and the last warp
/// of the launch. Warps whose first steps were dropped are ignored.
[[nodiscard]] LaneTimeline lanes_of(const gpu::History& history, gpu::Dim3 grid, gpu::Dim3 block);

/// The steps of one warp. Consecutive steps on one line with the same active lanes form a range. If there are too many ranges to
/// label, steps on different lines are combined too.
[[nodiscard]] LaneTimeline::Warp lanes_of(const gpu::History& history, gpu::WarpRef warp);

}  // namespace warpbook::lessons
