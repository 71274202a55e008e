// NvidiaDevice's GraphicsInterop: which path is possible, and changes between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/cuda/nvidia_device.h"

namespace warpbook::gpu {
namespace {

/// Whether the renderer is the second GPU of a laptop: graphics of an Intel or AMD processor. Software renderers and remote
/// displays are not.
bool is_other_gpu(std::string_view renderer) {
  for (const std::string_view maker : {"Intel", "AMD", "Radeon"})
    if (renderer.find(maker) != std::string_view::npos) return true;
  return false;
}

}  // namespace

/// A sentence that says why the driver sees no CUDA device behind the current OpenGL context.
std::string NvidiaDevice::why_not_shared(CUresult result) const {
  const std::string draws = renderer_.empty() ? "what OpenGL draws with here" : fmt::format("`{}`, which draws here,", renderer_);
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_GRAPHICS_CONTEXT:
      return fmt::format("{} is not NVIDIA's driver ({}).{}", draws, cuda_name(result),
                         is_other_gpu(renderer_) ? fmt::format(" To draw with {}, start Warpbook with __NV_PRIME_RENDER_OFFLOAD=1 "
                                                               "__GLX_VENDOR_LIBRARY_NAME=nvidia before its name.",
                                                               info_.name)
                                                 : " A remote display or a software renderer has no other way.");
    case CUDA_ERROR_OPERATING_SYSTEM:
    case CUDA_ERROR_NOT_SUPPORTED:
      return fmt::format("this system does not let CUDA and OpenGL share memory, as under WSL ({}).", cuda_name(result));
    default:
      return fmt::format("the NVIDIA driver finds no way from CUDA to {} ({}).", draws, cuda_name(result));
  }
}

DrawPath NvidiaDevice::copied(const Error& why) const {
  return {DrawPath::Kind::pinned_copy, fmt::format("Drawn from a copy through pinned memory: {}", why.message)};
}

DrawPath NvidiaDevice::ask_opengl() {
  if (driver_->glGetDevices == nullptr || driver_->graphicsGLRegisterBuffer == nullptr)
    return copied({"cudaErrorNotSupported", "this NVIDIA driver comes without CUDA's part for OpenGL."});
  std::array<CUdevice, 16> devices{};
  unsigned int found = 0;
  const CUresult result = driver_->glGetDevices(&found, devices.data(), devices.size(), CU_GL_DEVICE_LIST_ALL);
  if (result != CUDA_SUCCESS) {
    (void)context_->check(result, "OpenGL's devices could not be asked for");  // notices a broken context
    return copied({cuda_name(result), why_not_shared(result)});
  }
  const auto end = devices.begin() + std::min<std::size_t>(found, devices.size());
  if (std::find(devices.begin(), end, device_) == end)
    return copied({"cudaErrorInvalidDevice", fmt::format("OpenGL draws with another GPU than {}.", info_.name)});
  return {DrawPath::Kind::shared, fmt::format("Drawn from the memory of {}, without a copy.", info_.name)};
}

DrawPath NvidiaDevice::examine() {
  path_ = copied({"cudaErrorDevicesUnavailable", lost_.empty() ? "the GPU did not answer." : lost_});
  use_without_answer([&] { path_ = ask_opengl(); });
  return path_;
}

Result<void> NvidiaDevice::attach(const Buffer& buffer, unsigned int gl_buffer) {
  return use([&]() -> Result<void> {
    DrawPath path = ask_opengl();
    auto why_not = arrays_.attach(buffer, gl_buffer, path.kind == DrawPath::Kind::shared);
    if (!why_not) return failure(why_not.error());
    path_ = *why_not ? copied(**why_not) : std::move(path);
    return {};
  });
}

Result<std::span<const std::byte>> NvidiaDevice::publish(const Buffer& buffer) {
  return use([&] { return arrays_.publish(buffer); });
}

void NvidiaDevice::detach(const Buffer& buffer) {
  Result<void> moved;
  use_without_answer([&] { moved = arrays_.detach(buffer); });
  if (!moved && !untold_) untold_ = moved.error();
}

}  // namespace warpbook::gpu
