#include "gpu/report.h"

#include <fmt/format.h>

namespace warpbook::gpu {
std::string to_string(const Dim3& index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

}  // namespace warpbook::gpu
