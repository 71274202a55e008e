#include "gpu/report.h"

#include <fmt/format.h>

namespace warpbook::gpu {

LaunchReport::LaunchReport() = default;
LaunchReport::LaunchReport(const LaunchReport& other) = default;
LaunchReport::LaunchReport(LaunchReport&& other) noexcept = default;
LaunchReport& LaunchReport::operator=(const LaunchReport& other) = default;
LaunchReport& LaunchReport::operator=(LaunchReport&& other) noexcept = default;
LaunchReport::~LaunchReport() = default;

std::string to_string(const Dim3& index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

}  // namespace warpbook::gpu
