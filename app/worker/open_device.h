// OpenDevice: what there is to choose from, and from what was chosen to a device that runs.
//
//     session.gpus = list_gpus(gpu::find_cuda_devices());
//     auto device = open_device(compiler, {.profile = "T4", .gpu = {}});      // the compiler must outlive it
//
// Errors are those of make_virtual_device and make_cuda_device: "missing_device", "unsupported_device", or CUDA's own name.
#pragma once

#include <memory>

#include "app/session/device_key.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::app {

[[nodiscard]] NvidiaGpus list_gpus(const gpu::CudaSetup& setup);
[[nodiscard]] Result<std::unique_ptr<gpu::Device>> open_device(gpu::Compiler& compiler, const DeviceKey& key);

}  // namespace warpbook::app
