// What the NVIDIA driver of this machine says about itself and its GPUs. libcuda.so.1 is opened at run time, so that the
// program also starts where there is none.
//
//     NvidiaDriver driver = probe_nvidia_driver();
//     if (driver.devices.empty()) say(driver.missing);   // "no NVIDIA driver was found (libcuda.so.1 …)"
#pragma once

#include <string>
#include <vector>

#include "app/device_key.h"
#include "gpu/device.h"

namespace warpbook::app {

struct NvidiaDriver {
  struct Gpu {
    std::string name;  // "NVIDIA H200"
    std::vector<gpu::Attribute> attributes;
  };
  std::string version;  // newest CUDA the driver knows: "13.0"; empty where no driver answers
  std::vector<Gpu> devices;
  std::string missing;  // why there are no devices, in words that follow "… and"; empty where there are
};

[[nodiscard]] NvidiaDriver probe_nvidia_driver();

/// The same as the window lists them.
[[nodiscard]] NvidiaGpus gpus_of(const NvidiaDriver& driver);

}  // namespace warpbook::app
