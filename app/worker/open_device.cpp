#include "app/worker/open_device.h"

#include "gpu/message.h"

namespace warpbook::app {

NvidiaGpus list_gpus(const gpu::CudaSetup& setup) {
  NvidiaGpus gpus;
  for (const gpu::CudaGpu& gpu : setup.gpus) gpus.found.push_back({gpu.info.name, gpu.problem});
  if (!gpus.found.empty()) return gpus;
  gpus.none = setup.version.empty() ? say("NVIDIA, no driver found") : say("NVIDIA, no GPU found");
  gpus.why = setup.missing;
  return gpus;
}

Result<std::unique_ptr<gpu::Device>> open_device(gpu::Compiler& compiler, const DeviceKey& key) {
  if (!key.gpu) return gpu::make_virtual_device(compiler, key.profile);
  const gpu::CudaSetup setup = gpu::find_cuda_devices();
  if (setup.gpus.empty()) return failure("missing_device", setup.missing);
  return gpu::make_cuda_device(compiler, setup.driver, *key.gpu);
}

}  // namespace warpbook::app
