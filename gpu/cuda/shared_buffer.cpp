#include "gpu/cuda/shared_buffer.h"

#include <fmt/format.h>

namespace warpbook::gpu {

Result<CUdeviceptr> SharedBuffer::map(const Driver& driver, Context& context, std::size_t bytes) {
  if (address_ != 0) return address_;
  if (resource_ == nullptr) {
    // Kernels read what an earlier step wrote, so the flag that lets CUDA discard the contents is not set.
    const CUresult result = driver.graphicsGLRegisterBuffer(&resource_, gl_buffer_, CU_GRAPHICS_REGISTER_FLAGS_NONE);
    if (auto done = context.check(result, "The OpenGL buffer could not be registered with CUDA"); !done) {
      resource_ = nullptr;
      return failure(done.error());
    }
  }
  if (auto done =
          context.check(driver.graphicsMapResources(1, &resource_, context.stream()), "The OpenGL buffer could not be mapped");
      !done)
    return failure(done.error());
  CUdeviceptr address = 0;
  std::size_t size = 0;
  auto done =
      context.check(driver.graphicsResourceGetMappedPointer(&address, &size, resource_), "The mapped OpenGL buffer has no address");
  if (done && size < bytes)
    done = failure("cudaErrorInvalidValue", fmt::format("The OpenGL buffer has {} bytes, the array needs {}.", size, bytes));
  if (!done) {
    (void)context.check(driver.graphicsUnmapResources(1, &resource_, context.stream()), "The OpenGL buffer could not be unmapped");
    return failure(done.error());
  }
  return address_ = address;
}

Result<void> SharedBuffer::unmap(const Driver& driver, Context& context) {
  if (address_ == 0) return {};
  address_ = 0;
  return context.check(driver.graphicsUnmapResources(1, &resource_, context.stream()), "The OpenGL buffer could not be unmapped");
}

void SharedBuffer::unregister(const Driver& driver, Context& context) {
  (void)unmap(driver, context);
  if (resource_ != nullptr)
    (void)context.check(driver.graphicsUnregisterResource(resource_), "The OpenGL buffer could not be given back");
  resource_ = nullptr;
}

}  // namespace warpbook::gpu
