// What the device or this library can do, by CUDA's name for it: "l2CacheSize".
#pragma once

#include <cstdint>
#include <string_view>

namespace warpbook::cudart {

[[nodiscard]] std::int64_t device_attribute(std::string_view name);  // 0: it has none of that

}  // namespace warpbook::cudart
