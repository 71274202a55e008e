// The attributes of a device: name, unit and meaning of each, in one table for both devices (attributes.def).
//
//     info.attributes.push_back(described("warpSize", 32));
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/device.h"

namespace warpbook::gpu {

struct AttributeRow {
  int number;  // CUdevice_attribute; 0: not one of them
  std::string_view name, unit, meaning;
};
[[nodiscard]] std::span<const AttributeRow> attribute_table();

/// With unit and meaning from the table; both empty for a name that it does not have.
[[nodiscard]] Attribute described(std::string_view name, std::int64_t value);

}  // namespace warpbook::gpu
