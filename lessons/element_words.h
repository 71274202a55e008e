// Words for a wrong element in a check's result: its values, and the thread that wrote it.
//
//     row = {text_of(element.got), text_of(element.expected), writer_of(element)};     // "0", "4", "no thread"
#pragma once

#include <string>

#include "gpu/types.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

[[nodiscard]] double value_of(const gpu::Scalar& scalar);
[[nodiscard]] std::string text_of(const gpu::Scalar& scalar);

/// "thread (5,0,0) of block (2,0,0)", "no thread", "not observed". If there were several writes: the last one, and their number.
[[nodiscard]] std::string writer_of(const Checks::Wrong::Element& element);

}  // namespace warpbook::lessons
