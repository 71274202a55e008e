#include "app/commands/nvidia_driver.h"

#include "gpu/cuda/cuda_device.h"

namespace warpbook::app {

NvidiaDriver probe_nvidia_driver() {
  const gpu::CudaSetup cuda = gpu::find_cuda_devices();
  NvidiaDriver found{.version = cuda.version, .devices = {}, .missing = cuda.missing};
  for (const gpu::CudaGpu& gpu : cuda.gpus) found.devices.push_back({gpu.info.name, gpu.info.attributes});
  return found;
}

std::string second_device(const NvidiaDriver& driver) {
  if (!driver.devices.empty()) return driver.devices.front().name;
  return driver.version.empty() ? "NVIDIA, no driver found" : "NVIDIA, no GPU found";
}

}  // namespace warpbook::app
