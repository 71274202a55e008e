#include "app/worker/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

tl::unexpected<Error> no_opengl(const std::string& what) {
  return failure("no_opengl", say("A picture needs OpenGL 4.5 through EGL, and {why}. Install Mesa's software renderer (Debian: "
                                  "libegl1, libgl1, libgl1-mesa-dri).",
                                  "why"_a = what));
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

/// By EGL's own count; empty: it is no NVIDIA GPU.
std::optional<int> cuda_number_of(EGLDeviceEXT device) {
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICEATTRIBEXTPROC>(eglGetProcAddress("eglQueryDeviceAttribEXT"));
  EGLAttrib found = -1;
  if (query == nullptr || query(device, EGL_CUDA_DEVICE_NV, &found) == EGL_FALSE) return std::nullopt;
  return static_cast<int>(found);
}

void* display_of(EGLDeviceEXT device) { return eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr); }

}  // namespace

Result<std::unique_ptr<EglContext>> EglContext::open(const EglContext* share) {
  if (share != nullptr) return open(share->display_, share);
  auto opened = open(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr), nullptr);
  if (opened) return opened;
  for (const EGLDeviceEXT device : egl_devices()) {
    if (auto other = open(display_of(device), nullptr)) return other;
  }
  return opened;
}

Result<std::unique_ptr<EglContext>> EglContext::open_on_gpu(int cuda_number, const std::function<bool()>& is_it) {
  const std::vector<EGLDeviceEXT> devices = egl_devices();
  std::vector<std::pair<int, EGLDeviceEXT>> gpus;
  for (const EGLDeviceEXT device : devices)
    if (const auto number = cuda_number_of(device)) gpus.emplace_back(*number, device);
  // The one of the same number first, which it nearly always is.
  std::stable_sort(gpus.begin(), gpus.end(),
                   [&](const auto& a, const auto& b) { return a.first == cuda_number && b.first != cuda_number; });
  for (const auto& [number, device] : gpus) {
    auto opened = open(display_of(device), nullptr);
    if (opened && is_it()) return opened;
  }
  return no_opengl(
      say("none of EGL's {devices} devices is CUDA's device {number}. Perhaps NVIDIA's EGL library (libEGL_nvidia.so.0) or the "
          "file that names it (glvnd/egl_vendor.d/10_nvidia.json) is missing",
          "devices"_a = devices.size(), "number"_a = cuda_number));
}

Result<std::unique_ptr<EglContext>> EglContext::open(void* display, const EglContext* share) {
  std::unique_ptr<EglContext> made(new EglContext);
  made->shares_ = share != nullptr;
  if (display == EGL_NO_DISPLAY || (share == nullptr && eglInitialize(display, nullptr, nullptr) == EGL_FALSE))
    return no_opengl(say("EGL has no display without a surface here"));
  made->display_ = display;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return no_opengl(say("EGL knows OpenGL ES only"));
  const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, config_wanted, &config, 1, &count) == EGL_FALSE || count == 0) config = EGL_NO_CONFIG_KHR;
  const EGLint context_wanted[] = {
      EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  made->context_ = eglCreateContext(display, config, share != nullptr ? share->context_ : EGL_NO_CONTEXT, context_wanted);
  if (made->context_ == EGL_NO_CONTEXT) return no_opengl(say("there is no context of version 4.5"));
  if (share != nullptr) return made;
  if (!made->make_current()) return no_opengl(say("its context cannot be used"));
  if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) == 0) return no_opengl(say("its functions cannot be loaded"));
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

namespace {

std::string words(GLenum what) {
  const GLubyte* const text = glGetString(what);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

std::string opengl_renderer() { return words(GL_RENDERER); }

std::string opengl_description() { return "OpenGL " + words(GL_VERSION) + ", " + opengl_renderer(); }

}  // namespace warpbook::app
