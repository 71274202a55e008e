// SharedBuffer: an OpenGL buffer object in CUDA. It is registered once, then mapped for kernels and unmapped for drawing.
//
//     SharedBuffer shared(gl_buffer);
//     Result<CUdeviceptr> address = shared.map(context, bytes);   // the first call registers it
//     auto handed_over = shared.unmap(context);
//
// The OpenGL context must be current on the calling thread in all calls. The registration ends with its CUDA context; then call
// forget().
#pragma once

#include <cstddef>

#include "gpu/cuda/context.h"
#include "gpu/cuda/driver.h"

namespace warpbook::gpu {

class SharedBuffer {
 public:
  explicit SharedBuffer(unsigned int gl_buffer) : gl_buffer_(gl_buffer) {}

  /// Does nothing if it is already mapped.
  [[nodiscard]] Result<CUdeviceptr> map(const Driver& driver, Context& context, std::size_t bytes);
  /// Does nothing if it is not mapped.
  [[nodiscard]] Result<void> unmap(const Driver& driver, Context& context);
  /// Unmaps it and returns it to OpenGL, as far as CUDA still can.
  void unregister(const Driver& driver, Context& context);
  void forget() { *this = SharedBuffer(gl_buffer_); }
  [[nodiscard]] bool mapped() const { return address_ != 0; }

 private:
  unsigned int gl_buffer_;
  CUgraphicsResource resource_ = nullptr;
  CUdeviceptr address_ = 0;  // 0: not mapped
};

}  // namespace warpbook::gpu
