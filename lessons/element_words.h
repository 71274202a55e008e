// The words for an element of an array that an exercise's check found wrong: its number, and who wrote it.
//
//     row = {text_of(element.got), text_of(element.expected), writer_of(element)};     // "0", "4", "no thread"
#pragma once

#include <string>

#include "gpu/types.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

[[nodiscard]] double value_of(const gpu::Scalar& scalar);
[[nodiscard]] std::string text_of(const gpu::Scalar& scalar);

/// "thread (5,0,0) of block (2,0,0)", "no thread", "not observed"; of several writes the last, and how many there were.
[[nodiscard]] std::string writer_of(const Checks::Wrong::Element& element);

}  // namespace warpbook::lessons
