#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <array>
#include <cstdlib>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/egl_context.h"
#include "app/fonts.h"
#include "app/interop_check.h"
#include "app/offscreen.h"
#include "gpu/compiler.h"
#include "gpu/cuda/cuda_device.h"

namespace warpbook::app {
namespace {

enum class Need { needed, optional };

// One line a part; returns whether something needed is missing.
bool say(std::string_view part, bool found, Need need, std::string_view words) {
  fmt::print("{:<14}  {:<8}  {}\n", part, found ? "found" : need == Need::needed ? "MISSING" : "absent", words);
  return !found && need == Need::needed;
}

bool say_nvrtc() {
  const gpu::Compiler::Status status = gpu::Compiler().status();
  if (!status.available) return say("NVRTC", false, Need::needed, status.advice);
  say("NVRTC", true, Need::needed, fmt::format("{}, {}", status.version, status.path));
  if (!status.confinement.empty())
    fmt::print("{:<14}  {:<8}  the compiler's process is confined by {}\n", "", "", status.confinement);
  return false;
}

bool say_driver(const gpu::CudaSetup& cuda) {
  if (cuda.gpus.empty()) {
    return say("NVIDIA driver", false, Need::optional, cuda.missing);
  }
  std::string names;
  for (const gpu::CudaGpu& each : cuda.gpus) names += (names.empty() ? "" : ", ") + each.info.name;
  return say("NVIDIA driver", true, Need::optional, fmt::format("CUDA {}: {}", cuda.version, names));
}

/// Whether a GPU can be run on, and how its fields come to the screen.
bool say_gpu(const gpu::CudaSetup& cuda, const gpu::CudaGpu& found) {
  gpu::Compiler compiler;
  auto device = gpu::make_cuda_device(compiler, cuda.driver, found.ordinal);
  if (!device) return say("NVIDIA GPU", false, Need::optional, device.error().message);
  say("NVIDIA GPU", true, Need::optional, found.info.name + ": kernels can run on it");
  // As the window draws, where one can open; else through EGL on that GPU, or through any OpenGL.
  const bool display = glfwInit() == GLFW_TRUE;
  Result<gpu::DrawPath> path = failure("no_opengl", "There is no OpenGL to draw with.");
  if (display) {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    if (GLFWwindow* const window = glfwCreateWindow(16, 16, "Warpbook's doctor", nullptr, nullptr)) {
      glfwMakeContextCurrent(window);
      if (load_opengl(glfwGetProcAddress)) path = check_interop(**device);
      device->reset();
      glfwDestroyWindow(window);
    }
    glfwTerminate();
  } else {
    auto context = EglContext::open_on_gpu(found.ordinal);
    if (!context) context = EglContext::open();
    path = context ? check_interop(**device) : Result<gpu::DrawPath>(failure(context.error()));
    device->reset();
  }
  const bool shared = path && path->kind == gpu::DrawPath::Kind::shared;
  return say("Interop", shared, Need::optional, path ? path->sentence : path.error().message);
}

bool say_opengl() {
  const auto opengl = offscreen_opengl();
  return say("OpenGL", opengl.has_value(), Need::needed, opengl ? *opengl : opengl.error().message);
}

bool say_fonts() {
  std::string found, missing;
  for (const char* const stem : {"Inter-Regular", "JetBrainsMono-Regular"}) {
    if (find_font(stem)) {
      found += (found.empty() ? "" : ", ") + std::string(stem);
    } else {
      missing += (missing.empty() ? "" : " ") + std::string(font_package(stem));
    }
  }
  return say("Fonts", missing.empty(), Need::needed,
             missing.empty() ? found : fmt::format("Text would look plain. Install the Debian packages {}.", missing));
}

bool say_display() {
  const bool found = glfwInit() == GLFW_TRUE;
  if (found) glfwTerminate();
  return say("Display", found, Need::optional,
             found ? "the window can open here"
                   : "there is none, so no window can open; every command works, and 'picture' draws the pages");
}

int examine() {
  bool missing = say_nvrtc();
  const gpu::CudaSetup cuda = gpu::find_cuda_devices();
  missing |= say_driver(cuda);
  for (const gpu::CudaGpu& found : cuda.gpus) missing |= say_gpu(cuda, found);
  missing |= say_opengl();
  missing |= say_fonts();
  missing |= say_display();
  fmt::print("\n{}\n", missing ? "Something that Warpbook needs is missing. script/bootstrap installs all but NVRTC."
                               : "Warpbook has all that it needs.");
  return missing ? exit_missing : exit_clean;
}

}  // namespace

void add_doctor(CLI::App& program, int& exit_code) {
  auto* const command =
      program.add_subcommand("doctor", "what this machine has: NVRTC, driver, OpenGL, fonts, display; what to install");
  command->callback([&exit_code] { exit_code = examine(); });
}

}  // namespace warpbook::app
