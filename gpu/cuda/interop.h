// GraphicsInterop: kernels write an array, OpenGL draws it from the same memory; where that cannot be had, a copy through pinned
// memory, chosen by itself, with the reason as a sentence.
//
//     GraphicsInterop* graphics = device.graphics();            // nullptr: a device whose memory the host sees anyway (mapped())
//     graphics->drawn_by(renderer);                             // GL_RENDERER, for sentences
//     const DrawPath path = graphics->examine();                // an OpenGL context is current on this thread
//     auto attached = graphics->attach(heat, gl_buffer);        // a GL_ARRAY_BUFFER of heat.array.bytes() bytes, made with
//     glBufferData …                                                         // launches write `heat`, as before auto pixels =
//     graphics->publish(heat);                    // to OpenGL: the GL buffer holds what the kernels wrote if (pixels &&
//     !pixels->empty()) glBufferSubData(…);       // … or, on the copying path, these bytes go into it draw(gl_buffer);
//
// An attached Buffer is the same handle as before: launch, read, write and fill go on with it. On the shared path its memory is the
// GL buffer's: the device maps it by itself at the next use, and publish() unmaps it. Between a publish() and that use the memory
// is OpenGL's; in between the device's, and OpenGL must not touch it. CUDA orders the two: what OpenGL was told before a map comes
// before the kernels, what it is told after an unmap comes after them. That holds for the context that is current at these calls.
//
// Threads: from attach() to detach() every use of the device happens on a thread on which that OpenGL context, or one that shares
// objects with it, is current. Where another context of the share group draws, put a glFenceSync between drawing and stepping.
// Ownership: the GL buffer is the caller's; detach it before it is deleted. Releasing the Buffer, or ending the device, detaches.
// This room does not link OpenGL: names of GL objects are plain numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::gpu {

/// How what a kernel wrote comes to OpenGL.
struct DrawPath {
  enum class Kind { shared, pinned_copy } kind = Kind::pinned_copy;
  std::string sentence;  // for the status line and `doctor`: "Drawn from the GPU's own memory (NVIDIA H200)." or why it is copied
};

class GraphicsInterop {
 public:
  virtual ~GraphicsInterop() = default;

  /// What OpenGL calls that which draws (GL_RENDERER): sentences name it.
  virtual void drawn_by(const std::string& renderer) { (void)renderer; }

  /// Which path the OpenGL context that is current on this thread allows. Asks the driver; attaches nothing.
  [[nodiscard]] virtual DrawPath examine() = 0;

  /// The array keeps its contents. Succeeds on both paths; the path taken is path(). Error: the array is none of this device's,
  /// is attached already, or pinned memory could not be had.
  [[nodiscard]] virtual Result<void> attach(const Buffer& buffer, unsigned int gl_buffer) = 0;

  /// Hands the array to OpenGL. Empty: the GL buffer holds it. Otherwise its bytes in pinned memory, to be put into the GL buffer;
  /// valid until the next publish() of this array or its detach().
  [[nodiscard]] virtual Result<std::span<const std::byte>> publish(const Buffer& buffer) = 0;

  /// The array moves back into memory of its own, with its contents.
  virtual void detach(const Buffer& buffer) = 0;

  /// The path in use: of the last attach(), or of the last examine() where nothing is attached. A shared path that fails in use
  /// (the context was lost, another GPU took over drawing) becomes a copying one, and its sentence says why.
  [[nodiscard]] virtual const DrawPath& path() const = 0;
};

}  // namespace warpbook::gpu
