// Common scale: two figures of the same kind as one pair that can be compared by eye: the same axes, the same colours.
//
//     auto [before, after] = on_common_scale(*find_figure(kept, name), *find_figure(shown, name));
//
// Pure. Figures of different kinds, and those whose axes belong to the device or the array, come back as they were.
#pragma once

#include <utility>

#include "lessons/figures.h"

namespace warpbook::app {

[[nodiscard]] std::pair<lessons::Figure, lessons::Figure> on_common_scale(lessons::Figure a, lessons::Figure b);

}  // namespace warpbook::app
