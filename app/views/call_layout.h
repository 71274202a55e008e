// CallLayout: how long each lane is in a call, and where the names of calls have room. Pure: no ImGui, no colours.
//
//     for (const LanesInCall& lanes : lanes_in(tree)[call]) fill(lanes.mask, tree.calls[call].first, lanes.last);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lessons/figures.h"

namespace warpbook::app {

/// Lanes of a call that leave it together.
struct LanesInCall {
  std::uint32_t mask = 0;
  std::uint64_t last = 0;  // behind their last instruction in it or in a call that it made
};
/// By call, those that leave first in front. All lanes come in with the call's first instruction.
[[nodiscard]] std::vector<std::vector<LanesInCall>> lanes_in(const lessons::CallTree& tree);

/// A call's name in its row, from x0 on.
struct CallName {
  float x0 = 0, width = 0;
  std::uint32_t depth = 0, function = 0, parent = 0;
  float call = 0;  // width of the call itself
};
/// By name: whether it is drawn. A name may go on beyond its call, but not over a call of another function, not over another name,
/// and not beyond `right`. Of calls that one call makes of one function, those too narrow for it have it once. Names are in the
/// order in which their calls began.
[[nodiscard]] std::vector<bool> names_with_room(std::span<const CallName> names, float gap, float right);

}  // namespace warpbook::app
