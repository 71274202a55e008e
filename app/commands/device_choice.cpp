#include "app/commands/device_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "app/commands/compiler_option.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/message.h"
#include "gpu/virtual/profiles.h"

namespace warpbook::app {
namespace {

Result<std::unique_ptr<gpu::Device>> open_gpu(gpu::Compiler& compiler, int number) {
  const gpu::CudaSetup cuda = gpu::find_cuda_devices();
  const auto missing = [](const std::string& why) {
    return failure("missing_device", why + " Leave --device out to run on the virtual GPU.");
  };
  if (!cuda.missing.empty()) return missing(cuda.missing);
  auto device = gpu::make_cuda_device(compiler, cuda.driver, number);
  if (!device) return missing(device.error().message);
  return device;
}

}  // namespace

std::optional<int> gpu_number(std::string_view device) {
  if (device == "cuda") return 0;
  if (!device.starts_with("cuda:")) return std::nullopt;
  device.remove_prefix(std::string_view("cuda:").size());
  int number = 0;
  const auto [end, error] = std::from_chars(device.data(), device.data() + device.size(), number);
  if (error != std::errc() || end != device.data() + device.size() || number < 0) return std::nullopt;
  return number;
}

void DeviceChoice::add_to(CLI::App& command) {
  command.add_option("--device", device, say("virtual (default) or cuda; cuda:1 is the second GPU"))->type_name("virtual|cuda");
  command
      .add_option("--profile", profile, say("whose limits and timing figures the virtual GPU has; 'warpbook devices' lists them"))
      ->type_name("NAME");
  add_compiler_option(command);
}

Result<std::unique_ptr<gpu::Device>> DeviceChoice::open(gpu::Compiler& compiler) const {
  if (const auto number = gpu_number(device)) return open_gpu(compiler, *number);
  if (device != "virtual")
    return failure("usage", say("there is no device '{device}': --device is virtual or cuda (cuda:1 for the second GPU).",
                                "device"_a = device));
  if (gpu::find_profile(profile) == nullptr) {
    std::string names;
    for (const gpu::Profile& known : gpu::profiles()) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", known.name);
    return failure("usage",
                   say("there is no profile '{profile}'. The profiles are {names}.", "profile"_a = profile, "names"_a = names));
  }
  return gpu::make_virtual_device(compiler, profile);
}

}  // namespace warpbook::app
