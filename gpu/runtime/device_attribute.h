// A property of the device or of this library, by CUDA's name: "l2CacheSize".
#pragma once

#include <cstdint>
#include <string_view>

namespace warpbook::cudart {

[[nodiscard]] std::int64_t device_attribute(std::string_view name);  // 0: there is no such property

}  // namespace warpbook::cudart
