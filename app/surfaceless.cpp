#include "app/surfaceless.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>
#include <glad/gl.h>

#include <vector>

namespace warpbook::app {
namespace {

tl::unexpected<Error> no_opengl(const std::string& what) {
  return failure("no_opengl", "A picture needs OpenGL 4.5 through EGL, and " + what +
                                  ". Install Mesa's software renderer (Debian: libegl1, libgl1, libgl1-mesa-dri).");
}

/// EGL's devices, where it can name them: GPUs, and Mesa's software renderer.
std::vector<EGLDeviceEXT> egl_devices() {
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  EGLint count = 0;
  if (query == nullptr || query(0, nullptr, &count) == EGL_FALSE || count <= 0) return {};
  std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(count));
  if (query(count, devices.data(), &count) == EGL_FALSE) return {};
  devices.resize(static_cast<std::size_t>(count));
  return devices;
}

bool is_cuda_device(EGLDeviceEXT device, int ordinal) {
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICEATTRIBEXTPROC>(eglGetProcAddress("eglQueryDeviceAttribEXT"));
  EGLAttrib found = -1;
  return query != nullptr && query(device, EGL_CUDA_DEVICE_NV, &found) != EGL_FALSE && found == ordinal;
}

}  // namespace

Surfaceless::~Surfaceless() { close(); }

void Surfaceless::close() {
  if (display_ == nullptr) return;
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (context_ != nullptr) eglDestroyContext(display_, context_);
  eglTerminate(display_);
  display_ = context_ = nullptr;
}

Result<void> Surfaceless::open() {
  if (open_on_cuda_device(0)) return {};
  auto opened = make_current(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  if (opened) return opened;
  for (const EGLDeviceEXT device : egl_devices()) {
    if (make_current(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr))) return {};
  }
  return opened;
}

Result<void> Surfaceless::open_on_cuda_device(int ordinal) {
  for (const EGLDeviceEXT device : egl_devices()) {
    if (is_cuda_device(device, ordinal)) return make_current(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr));
  }
  return no_opengl(
      fmt::format("none of EGL's {} devices is CUDA's device {}: NVIDIA's EGL library (libEGL_nvidia.so.0) or the file "
                  "that names it (glvnd/egl_vendor.d/10_nvidia.json) is missing",
                  egl_devices().size(), ordinal));
}

Result<void> Surfaceless::make_current(void* display) {
  close();
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE)
    return no_opengl("EGL has no display without a surface here");
  display_ = display;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return no_opengl("EGL knows OpenGL ES only");
  const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display_, config_wanted, &config, 1, &count) == EGL_FALSE || count == 0) config = EGL_NO_CONFIG_KHR;
  const EGLint context_wanted[] = {
      EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, context_wanted);
  if (context_ == EGL_NO_CONTEXT) return no_opengl("there is no context of version 4.5");
  if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_FALSE)
    return no_opengl("its context cannot be used");
  if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) == 0) return no_opengl("its functions cannot be loaded");
  return {};
}

std::string opengl_description() {
  const auto words = [](GLenum what) {
    const GLubyte* text = glGetString(what);
    return std::string(text == nullptr ? "" : reinterpret_cast<const char*>(text));
  };
  return "OpenGL " + words(GL_VERSION) + ", " + words(GL_RENDERER);
}

}  // namespace warpbook::app
