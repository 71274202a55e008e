// SharedBuffer: one OpenGL buffer object seen from CUDA: registered once, then mapped for kernels and unmapped for drawing.
//
//     SharedBuffer shared(gl_buffer);
//     Result<CUdeviceptr> address = shared.map(context, bytes);   // registers it at the first time
//     auto handed_over = shared.unmap(context);
//
// All calls need the OpenGL context current on the calling thread. The registration dies with its CUDA context: forget() says so.
#pragma once

#include <cstddef>

#include "gpu/cuda/context.h"
#include "gpu/cuda/driver.h"

namespace warpbook::gpu {

class SharedBuffer {
 public:
  explicit SharedBuffer(unsigned int gl_buffer) : gl_buffer_(gl_buffer) {}

  /// Does nothing where it is mapped already.
  [[nodiscard]] Result<CUdeviceptr> map(const Driver& driver, Context& context, std::size_t bytes);
  /// Does nothing where it is not mapped.
  [[nodiscard]] Result<void> unmap(const Driver& driver, Context& context);
  /// Unmapped and given back to OpenGL, as far as CUDA still can.
  void unregister(const Driver& driver, Context& context);
  void forget() { *this = SharedBuffer(gl_buffer_); }
  [[nodiscard]] bool mapped() const { return address_ != 0; }

 private:
  unsigned int gl_buffer_;
  CUgraphicsResource resource_ = nullptr;
  CUdeviceptr address_ = 0;  // 0: not mapped
};

}  // namespace warpbook::gpu
