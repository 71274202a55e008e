#include "gpu/host_launch.h"

#include <algorithm>

#include "gpu/host_reader.h"
#include "gpu/kernel_signatures.h"

namespace warpbook::gpu {

namespace {

bool known(const HostArgument& argument) {
  if (argument.number) return true;
  if (argument.array) return argument.array->bytes.has_value() && argument.array->content != HostArray::Content::unknown;
  return !argument.members.empty() && std::all_of(argument.members.begin(), argument.members.end(),
                                                  [](const HostMember& member) { return known(member.value); });
}

}  // namespace

bool HostLaunch::complete() const {
  return grid && block && dynamic_shared_bytes && std::all_of(arguments.begin(), arguments.end(), known);
}

std::vector<HostLaunch> host_launches(std::string_view source, const std::vector<std::string_view>& beside,
                                      const std::vector<std::pair<std::string, std::string>>& defines) {
  if (source.find("<<<") == std::string_view::npos) return {};
  return read_host_launches(source, beside, defines);
}

const HostLaunch* launch_of(const std::vector<HostLaunch>& launches, std::string_view kernel) {
  const auto bare = [](std::string_view name) {
    name = name.substr(0, name.find('<'));
    const std::size_t scope = name.rfind("::");
    return scope == std::string_view::npos ? name : name.substr(scope + 2);
  };
  const HostLaunch* by_name = nullptr;
  for (const HostLaunch& launch : launches) {
    if (normalised(launch.kernel) == kernel) return &launch;
    if (by_name == nullptr && bare(launch.kernel) == bare(kernel)) by_name = &launch;
  }
  return by_name;
}

}  // namespace warpbook::gpu
