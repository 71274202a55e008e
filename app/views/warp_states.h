// How the states of a warp look, wherever they are drawn: a colour, hatched or not, and words for a legend
// (sm_timeline.cpp).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "app/views/parts.h"
#include "gpu/clock_report.h"

namespace warpbook::app {

struct StateLook {
  ImU32 colour = 0;
  bool hatched = false;  // it was held up by something that others used
  std::string_view words;
};
[[nodiscard]] StateLook look_of(gpu::WarpState state);

/// A warp's colour while it waits, on the plot.
[[nodiscard]] ImU32 waiting_colour(ImU32 colour);

/// An entry for each state that was seen, in the enum's order.
[[nodiscard]] std::vector<Swatch> warp_legend(const std::array<bool, gpu::warp_states>& seen);

}  // namespace warpbook::app
