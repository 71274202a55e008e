// --device, --profile and --compiler, which several commands have in common.
//
//     DeviceChoice choice;
//     choice.add_to(*command);
//     Result<std::unique_ptr<gpu::Device>> device = choice.open(compiler);
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::app {

/// Of "cuda" 0, of "cuda:1" 1; empty: it names no NVIDIA GPU.
[[nodiscard]] std::optional<int> gpu_number(std::string_view device);

struct DeviceChoice {
  std::string device = "virtual";  // or "cuda", or "cuda:1" for the second GPU
  std::string profile;

  void add_to(CLI::App& command);

  /// "missing_device" where this machine cannot run on it; "usage" for an unknown name.
  [[nodiscard]] Result<std::unique_ptr<gpu::Device>> open(gpu::Compiler& compiler) const;
};

}  // namespace warpbook::app
