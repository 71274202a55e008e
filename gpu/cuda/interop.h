// GraphicsInterop: OpenGL draws an array from the memory that kernels write. If that is not possible, the array is copied through
// pinned memory automatically, with a sentence that gives the reason.
//
//     GraphicsInterop* graphics = device.graphics();            // nullptr: use mapped(), the host sees the device's memory
//     graphics->drawn_by(renderer);                             // GL_RENDERER, for sentences
//     const DrawPath path = graphics->examine();                // an OpenGL context is current on this thread
//     auto attached = graphics->attach(heat, gl_buffer);        // a GL_ARRAY_BUFFER of heat.array.bytes() bytes
//     // launches write `heat` as before
//     auto pixels = graphics->publish(heat);                    // to OpenGL: the GL buffer holds what the kernels wrote
//     if (pixels && !pixels->empty()) glBufferSubData(…);       // … or, on the copying path, these bytes go into it
//     draw(gl_buffer);
//
// An attached Buffer is used as before: launch, read, write and fill work with it. On the shared path, its memory is the GL
// buffer's. The device maps it at the next use, and publish() unmaps it. OpenGL may use the memory only between publish() and that
// next use. CUDA orders the two: OpenGL commands before a map finish before the kernels start, and kernels finish before OpenGL
// commands after an unmap start. This holds for the OpenGL context that is current during these calls.
//
// Threads: from attach() to detach(), every use of the device must be on a thread on which that OpenGL context is current, or a
// context that shares objects with it. If another context of the share group draws, put a glFenceSync between drawing and stepping.
// Ownership: the GL buffer belongs to the caller, who must detach it before deleting it. Releasing the Buffer or destroying the
// device also detaches it.
// This folder does not link OpenGL: names of GL objects are plain numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::gpu {

/// How OpenGL gets what a kernel wrote.
struct DrawPath {
  enum class Kind { shared, pinned_copy } kind = Kind::pinned_copy;
  std::string sentence;  // for the status line and `doctor`: "Drawn from the GPU's own memory (NVIDIA H200)." or why it is copied
};

class GraphicsInterop {
 public:
  virtual ~GraphicsInterop() = default;

  /// Sets OpenGL's name of the renderer (GL_RENDERER), for use in sentences.
  virtual void drawn_by(const std::string& renderer) { (void)renderer; }

  /// Which path is possible with the OpenGL context that is current on this thread. Asks the driver and attaches nothing.
  [[nodiscard]] virtual DrawPath examine() = 0;

  /// The array keeps its contents. Succeeds on both paths; path() says which one is used. Error: the array does not belong to this
  /// device, is already attached, or pinned memory could not be allocated.
  [[nodiscard]] virtual Result<void> attach(const Buffer& buffer, unsigned int gl_buffer) = 0;

  /// Passes the array to OpenGL. Empty: the GL buffer holds it. Otherwise the bytes in pinned memory that the caller must put into
  /// the GL buffer. They are valid until the next publish() of this array or its detach().
  [[nodiscard]] virtual Result<std::span<const std::byte>> publish(const Buffer& buffer) = 0;

  /// Moves the array with its contents back into memory of its own.
  virtual void detach(const Buffer& buffer) = 0;

  /// The path in use: that of the last attach(), or of the last examine() if nothing is attached. If the shared path fails during
  /// use (the context was lost, or another GPU took over drawing), it becomes the copying one, and its sentence says why.
  [[nodiscard]] virtual const DrawPath& path() const = 0;
};

}  // namespace warpbook::gpu
