// Surfaceless: an OpenGL 4.5 context that belongs to no window, through EGL.
//
//     Surfaceless context;
//     if (auto opened = context.open(); !opened) return opened;     // current on this thread from now on
//     if (auto opened = context.open_on_cuda_device(0); !opened) …  // rendered by that NVIDIA GPU, or an error
//
// open() takes what draws without a display: Mesa's surfaceless platform, else the first of EGL's devices that has OpenGL 4.5,
// which is how NVIDIA's driver offers it. Errors have the code "no_opengl" and say what to install. Ends with the object.
#pragma once

#include <string>

#include "gpu/result.h"

namespace warpbook::app {

class Surfaceless {
 public:
  Surfaceless() = default;
  ~Surfaceless();
  Surfaceless(const Surfaceless&) = delete;
  Surfaceless& operator=(const Surfaceless&) = delete;

  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> open_on_cuda_device(int ordinal);

 private:
  [[nodiscard]] Result<void> make_current(void* display);
  void close();
  void* display_ = nullptr;  // EGLDisplay, EGLContext: pointers in every EGL
  void* context_ = nullptr;
};

/// Of the context that is current: "OpenGL 4.5 (Core Profile) Mesa 22.3.6, llvmpipe".
[[nodiscard]] std::string opengl_description();

}  // namespace warpbook::app
