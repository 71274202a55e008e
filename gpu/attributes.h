// Attributes: the name, unit and meaning of each attribute of a device, in one table for both devices (attributes.def).
//
//     info.attributes.push_back(described("warpSize", 32));
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/device.h"

namespace warpbook::gpu {

struct AttributeRow {
  int number;  // CUdevice_attribute; 0: CUDA has no attribute for it
  std::string_view name, unit, meaning;
};
[[nodiscard]] std::span<const AttributeRow> attribute_table();

/// An attribute with the unit and the meaning that the table has for `name`. Both are empty for an unknown name.
[[nodiscard]] Attribute described(std::string_view name, std::int64_t value);

}  // namespace warpbook::gpu
