// EglContext: an OpenGL 4.5 context that belongs to no window, for pictures, tests and `doctor`.
//
//     auto context = EglContext::open();                     // current on this thread, OpenGL's functions loaded
//     auto worker = EglContext::open(context->get());        // shares objects with the first; current where make_current() is
//     called
//
// Error code "no_opengl": the sentence says what to install.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/result.h"

namespace warpbook::app {

class EglContext {
 public:
  /// By whatever draws without a display: Mesa's surfaceless platform, else the first of EGL's devices that has OpenGL 4.5, which
  /// is how NVIDIA's driver offers it.
  [[nodiscard]] static Result<std::unique_ptr<EglContext>> open(const EglContext* share = nullptr);
  /// On the NVIDIA GPU with this CUDA number: needs NVIDIA's EGL. EGL counts all GPUs of the machine, and CUDA those that
  /// CUDA_VISIBLE_DEVICES leaves it: so `is_it`, called where a GPU's context is current, has the last word.
  [[nodiscard]] static Result<std::unique_ptr<EglContext>> open_on_gpu(int cuda_number, const std::function<bool()>& is_it);
  ~EglContext();  // must not be current on another thread
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  [[nodiscard]] bool make_current() const;  // on the calling thread
  void release() const;                     // no context is current on the calling thread

 private:
  EglContext() = default;
  [[nodiscard]] static Result<std::unique_ptr<EglContext>> open(void* display, const EglContext* share);
  void* display_ = nullptr;
  void* context_ = nullptr;
  bool shares_ = false;
};

/// OpenGL's functions for the context that is current, where something else than EglContext made it:
/// load_opengl(glfwGetProcAddress).
[[nodiscard]] bool load_opengl(void (*(*function)(const char* name))());

/// What draws in the context that is current, as OpenGL names it (GL_RENDERER): "NVIDIA H200/PCIe/SSE2".
[[nodiscard]] std::string opengl_renderer();

/// Of the context that is current: "OpenGL 4.5 (Core Profile) Mesa 22.3.6, llvmpipe".
[[nodiscard]] std::string opengl_description();

}  // namespace warpbook::app
