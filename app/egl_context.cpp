#include "app/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glad/gl.h>

#include <array>
#include <string>

namespace warpbook::app {
namespace {

tl::unexpected<Error> no_opengl(const std::string& what) {
  return failure("no_opengl", "A picture needs OpenGL 4.5 through EGL, and " + what +
                                  ". Install Mesa's software renderer (Debian: libegl1, libgl1, libgl1-mesa-dri).");
}

}  // namespace

Result<std::unique_ptr<EglContext>> EglContext::open(const EglContext* share) {
  if (share != nullptr) return open(share->display_, share);
  return open(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr), nullptr);
}

Result<std::unique_ptr<EglContext>> EglContext::open_on_gpu(int cuda_number) {
  const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICEATTRIBEXTPROC>(eglGetProcAddress("eglQueryDeviceAttribEXT"));
  std::array<EGLDeviceEXT, 32> devices{};
  EGLint count = 0;
  if (query_devices == nullptr || query == nullptr ||
      query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_FALSE) {
    return no_opengl("this EGL does not list its devices");
  }
  for (EGLint i = 0; i < count; ++i) {
    EGLAttrib number = -1;
    EGLDeviceEXT device = devices[static_cast<std::size_t>(i)];
    if (query(device, EGL_CUDA_DEVICE_NV, &number) == EGL_FALSE || number != cuda_number) continue;
    return open(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr), nullptr);
  }
  return no_opengl("EGL knows no device that is this NVIDIA GPU");
}

Result<std::unique_ptr<EglContext>> EglContext::open(void* display, const EglContext* share) {
  std::unique_ptr<EglContext> made(new EglContext);
  made->shares_ = share != nullptr;
  if (display == EGL_NO_DISPLAY || (share == nullptr && eglInitialize(display, nullptr, nullptr) == EGL_FALSE))
    return no_opengl("EGL has no display without a surface here");
  made->display_ = display;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return no_opengl("EGL knows OpenGL ES only");
  const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, config_wanted, &config, 1, &count) == EGL_FALSE || count == 0) config = EGL_NO_CONFIG_KHR;
  const EGLint context_wanted[] = {
      EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  made->context_ = eglCreateContext(display, config, share != nullptr ? share->context_ : EGL_NO_CONTEXT, context_wanted);
  if (made->context_ == EGL_NO_CONTEXT) return no_opengl("there is no context of version 4.5");
  if (share != nullptr) return made;
  if (!made->make_current()) return no_opengl("its context cannot be used");
  if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) == 0) return no_opengl("its functions cannot be loaded");
  return made;
}

EglContext::~EglContext() {
  if (display_ == nullptr) return;
  if (context_ != nullptr) {
    if (eglGetCurrentContext() == context_) release();
    eglDestroyContext(display_, context_);
  }
  if (!shares_) eglTerminate(display_);
}

bool EglContext::make_current() const {
  eglBindAPI(EGL_OPENGL_API);  // a thread's own setting
  return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) != EGL_FALSE;
}

void EglContext::release() const { eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }

bool load_opengl(void (*(*function)(const char* name))()) { return gladLoadGL(function) != 0; }

}  // namespace warpbook::app
