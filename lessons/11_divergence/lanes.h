// Lanes: what the lanes of a warp did, from a launch's recorded history.
#pragma once

#include "gpu/history.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// Two warps side by side: the one with the most instructions, and the one with the fewest; the first and the last of the launch
/// where all have as many. Warps whose first steps were not kept are left out.
[[nodiscard]] LaneTimeline lanes_of(const gpu::History& history, gpu::Dim3 grid, gpu::Dim3 block);

/// One warp's steps: neighbours on one line with the same lanes are one stretch; where these are too many to be told apart,
/// neighbours with the same lanes are, whatever their lines.
[[nodiscard]] LaneTimeline::Warp lanes_of(const gpu::History& history, gpu::WarpRef warp);

}  // namespace warpbook::lessons
