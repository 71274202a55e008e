// Elements: one element of an array of bytes, as a number or as text.
//
//     double x = element_value(ScalarType::float32, bytes, 17);
//     std::string words = element_text(ScalarType::int64, bytes, 17);     // exact: "-9223372036854775808"
//
// `bytes` holds whole elements in the host's byte order. The index must be in range.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpu/types.h"

namespace warpbook::gpu {

[[nodiscard]] double element_value(ScalarType type, std::span<const std::byte> bytes, std::size_t index);

/// The shortest text that reads back as the same value.
[[nodiscard]] std::string element_text(ScalarType type, std::span<const std::byte> bytes, std::size_t index);

}  // namespace warpbook::gpu
