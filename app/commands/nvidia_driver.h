// What the NVIDIA driver of this machine says about itself and its GPUs, as the window lists them.
//
//     NvidiaDriver driver = probe_nvidia_driver();
//     if (driver.devices.empty()) say(driver.missing);   // "There is no NVIDIA driver on this machine …"
#pragma once

#include <string>
#include <vector>

#include "gpu/device.h"

namespace warpbook::app {

struct NvidiaDriver {
  struct Gpu {
    std::string name;  // "NVIDIA H200"
    std::vector<gpu::Attribute> attributes;
  };
  std::string version;  // newest CUDA the driver knows: "13.0"; empty where no driver answers
  std::vector<Gpu> devices;
  std::string missing;  // why there are no devices, as a sentence; empty where there are
};

[[nodiscard]] NvidiaDriver probe_nvidia_driver();

/// What stands, disabled, beside the virtual GPU in the window: a GPU's name, or why there is none.
[[nodiscard]] std::string second_device(const NvidiaDriver& driver);

}  // namespace warpbook::app
