// Arrays: summarises what a launch left in an array, for the view "arrays".
//
//     Arrays::One one = look_at(buffer.array, before, after, keep_bytes);
//
// A two-dimensional array is shown as a picture, and a three-dimensional one whose last extent is 3 or 4 as a colour picture.
// Integers range over 0 … 255, other numbers over 0 … 1. Time is proportional to the elements, memory to `keep_bytes`.
#pragma once

#include <cstddef>
#include <vector>

#include "lessons/figures.h"

namespace warpbook::lessons {

[[nodiscard]] Arrays::One look_at(gpu::Array array, bool read_only, std::vector<std::byte> before, std::vector<std::byte> after,
                                  std::size_t keep_bytes);

}  // namespace warpbook::lessons
