// EglContext: an OpenGL 4.5 context that belongs to no window, for pictures, tests and `doctor`.
//
//     auto context = EglContext::open();                     // current on this thread, OpenGL's functions loaded
//     auto worker = EglContext::open(context->get());        // shares objects with the first; current where make_current() is called
//
// Error code "no_opengl": the sentence says what to install.
#pragma once

#include <memory>

#include "gpu/result.h"

namespace warpbook::app {

class EglContext {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EglContext>> open(const EglContext* share = nullptr);
  ~EglContext();  // must not be current on another thread
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  [[nodiscard]] bool make_current() const;  // on the calling thread
  void release() const;                     // no context is current on the calling thread

 private:
  EglContext() = default;
  void* display_ = nullptr;
  void* context_ = nullptr;
  bool shares_ = false;
};

}  // namespace warpbook::app
