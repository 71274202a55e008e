// Host reader: reads a source's host functions statement by statement and records their launches. For host_launch.cpp only;
// host_launch.h says what is followed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/host_launch.h"

namespace warpbook::gpu {

[[nodiscard]] std::vector<HostLaunch> read_host_launches(std::string_view source, const std::vector<std::string_view>& beside,
                                                         const std::vector<std::pair<std::string, std::string>>& defines);

}  // namespace warpbook::gpu
