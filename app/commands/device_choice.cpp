#include "app/commands/device_choice.h"

#include <fmt/format.h>

#include "app/open_device.h"
#include "gpu/virtual/profiles.h"

namespace warpbook::app {

void DeviceChoice::add_to(CLI::App& command) {
  command.add_option("--device", device, "virtual (default) or cuda")->type_name("NAME");
  command.add_option("--profile", profile, "whose limits and timing figures the virtual GPU has; 'warpbook devices' lists them")
      ->type_name("NAME");
}

Result<std::unique_ptr<gpu::Device>> DeviceChoice::open(gpu::Compiler& compiler) const {
  if (device == "cuda") {
    auto made = open_device(compiler, {.profile = {}, .gpu = 0});
    // Whatever CUDA calls it: nothing was launched, something is missing.
    if (!made) return failure("missing_device", made.error().message);
    return made;
  }
  if (device != "virtual") return failure("usage", fmt::format("there is no device '{}': --device is virtual or cuda.", device));
  if (gpu::find_profile(profile) == nullptr) {
    std::string names;
    for (const gpu::Profile& known : gpu::profiles()) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", known.name);
    return failure("usage", fmt::format("there is no profile '{}'. The profiles are {}.", profile, names));
  }
  return open_device(compiler, {.profile = profile, .gpu = {}});
}

}  // namespace warpbook::app
