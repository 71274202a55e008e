// Arrays: what a launch left in one array, summed up for the view of the same name.
//
//     Arrays::One one = look_at(buffer.array, before, after, keep_bytes);
//
// A shape of two dimensions is a picture, and one of three whose last is 3 or 4 is one in colour: whole numbers 0 … 255, others
// 0 … 1. Work grows with the elements; memory with `keep_bytes`.
#pragma once

#include <cstddef>
#include <vector>

#include "lessons/figures.h"

namespace warpbook::lessons {

[[nodiscard]] Arrays::One look_at(gpu::Array array, bool read_only, std::vector<std::byte> before, std::vector<std::byte> after,
                                  std::size_t keep_bytes);

}  // namespace warpbook::lessons
