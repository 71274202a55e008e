#include "app/open_device.h"

namespace warpbook::app {

Result<std::unique_ptr<gpu::Device>> open_device(gpu::Compiler& compiler, const DeviceKey& key) {
  if (key.gpu) return failure("missing_device", "This version of Warpbook launches on the virtual GPU only.");
  return gpu::make_virtual_device(compiler, key.profile);
}

}  // namespace warpbook::app
