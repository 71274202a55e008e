#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/compiler_option.h"
#include "app/commands/exit_code.h"
#include "app/commands/standard_streams.h"
#include "app/shell/offscreen.h"
#include "app/ui/fonts.h"
#include "app/worker/egl_context.h"
#include "app/worker/interop_check.h"
#include "gpu/compiler.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/interop.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

enum class Need { needed, optional };

// One line a part; returns whether something needed is missing.
bool report_part(std::string_view part, bool found, Need need, std::string_view words) {
  print_out("{:<14}  {:<8}  {}\n", part, found ? "found" : need == Need::needed ? "MISSING" : "absent", words);
  return !found && need == Need::needed;
}

void say_compiler(std::string_view name, const gpu::Compiler::Found& found) {
  report_part(name, found.available, Need::optional,
              found.available ? fmt::format("{}, {}", found.version, found.path) : found.problem);
}

/// Who compiles, and why it is that one.
std::string compiler_words(const gpu::Compiler::Status& status) {
  const std::string asked = gpu::compiler_choice() == gpu::CompilerChoice::automatic
                                ? std::string(status.nvrtc.available ? say("it is the first choice") : say("NVRTC is not found"))
                                : say("{compiler} was asked for", "compiler"_a = gpu::name_of(gpu::compiler_choice()));
  return say("{compiler} compiles: {asked}; its process is confined by {confinement}", "compiler"_a = status.compiler,
             "asked"_a = asked, "confinement"_a = status.confinement);
}

/// One compiler is enough.
bool say_compilers() {
  const gpu::Compiler::Status status = gpu::Compiler().status();
  const bool missing =
      report_part("Compiler", status.available, Need::needed, status.available ? compiler_words(status) : status.advice);
  say_compiler("NVRTC", status.nvrtc);
  const bool nvcc = !status.nvcc.empty();
  report_part("nvcc", nvcc, Need::optional,
              nvcc ? status.nvcc + ", for programs with a host's part"
                   : say("of the CUDA Toolkit; with NVRTC it would compile programs with a host's part as their authors do"));
  say_compiler("clang", status.clang);
  return missing;
}

/// Tried with the OpenGL that the window would have; without a display, with that of the GPU itself, or with any other.
Result<std::string> way_of_drawing(gpu::Device& device, int ordinal) {
  if (glfwInit() == GLFW_TRUE) {
    Result<std::string> way = failure("no_opengl", say("This display offers no OpenGL 4.5 to draw with."));
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    if (GLFWwindow* const window = glfwCreateWindow(16, 16, "Warpbook", nullptr, nullptr)) {
      glfwMakeContextCurrent(window);
      if (load_opengl(glfwGetProcAddress)) way = check_interop(device);
      glfwDestroyWindow(window);
    }
    glfwTerminate();
    return way;
  }
  const auto is_it = [&] { return device.graphics()->examine().kind == gpu::DrawPath::Kind::shared; };
  if (const auto context = EglContext::open_on_gpu(ordinal, is_it)) return check_interop(device);
  return with_offscreen_opengl([&] { return check_interop(device); });
}

// A GPU that is there but cannot be used is no reason to be alarmed: the virtual GPU runs everything. How its memory comes to
// OpenGL is tried in earnest: written by the GPU, read back through OpenGL.
void say_gpu(gpu::Compiler& compiler, const gpu::CudaSetup& cuda, const gpu::CudaGpu& gpu) {
  auto device = gpu::make_cuda_device(compiler, cuda.driver, gpu.ordinal);
  if (!device) {
    report_part("NVIDIA GPU", false, Need::optional, device.error().message);
    return;
  }
  report_part(
      "NVIDIA GPU", true, Need::optional,
      say("{name}, compute capability {major}.{minor}, {multiprocessors} multiprocessors; --device cuda{ordinal}",
          "name"_a = gpu.info.name, "major"_a = gpu.info.compute_capability / 10, "minor"_a = gpu.info.compute_capability % 10,
          "multiprocessors"_a = gpu.info.multiprocessors, "ordinal"_a = gpu.ordinal == 0 ? "" : fmt::format(":{}", gpu.ordinal)));
  const auto way = way_of_drawing(**device, gpu.ordinal);
  report_part("Drawing", way.has_value(), Need::optional, way ? *way : way.error().message);
}

void say_cuda() {
  const gpu::CudaSetup cuda = gpu::find_cuda_devices();
  if (!cuda.driver || cuda.gpus.empty()) {
    report_part("NVIDIA driver", false, Need::optional, cuda.missing);
    return;
  }
  report_part("NVIDIA driver", true, Need::optional, fmt::format("for CUDA {}", cuda.version));
  gpu::Compiler compiler;
  for (const gpu::CudaGpu& gpu : cuda.gpus) say_gpu(compiler, cuda, gpu);
}

bool say_opengl() {
  const auto opengl = offscreen_opengl();
  return report_part("OpenGL", opengl.has_value(), Need::needed, opengl ? *opengl : opengl.error().message);
}

bool say_data() {
  const std::filesystem::path& folder = lessons::data_directory();
  const auto exercises = lessons::all_exercises();
  return report_part("Lessons", exercises.has_value(), Need::needed,
                     exercises ? fmt::format("{}, {} exercises", folder.string(), exercises->size()) : exercises.error().message);
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
  return report_part(
      "Fonts", missing.empty(), Need::needed,
      missing.empty() ? found : say("Text would look plain. Install the Debian packages {packages}.", "packages"_a = missing));
}

bool say_display() {
  const bool found = glfwInit() == GLFW_TRUE;
  if (found) glfwTerminate();
  return report_part("Display", found, Need::optional,
                     found ? say("the window can open here")
                           : say("there is none, so no window can open; every command works, and 'picture' draws the pages"));
}

int examine() {
  bool missing = say_compilers();
  say_cuda();
  missing |= say_opengl();
  missing |= say_data();
  missing |= say_fonts();
  missing |= say_display();
  std::error_code none;
  const bool built_here = std::filesystem::exists(lessons::data_directory() / "script/bootstrap", none);
  print_out("\n{}\n", !missing     ? say("Warpbook has all that it needs.")
                      : built_here ? say("Something that Warpbook needs is missing. script/bootstrap installs it.")
                                   : say("Something that Warpbook needs is missing. The lines above say what to install."));
  return missing ? exit_missing : exit_clean;
}

}  // namespace

void add_doctor(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand(
      "doctor", say("what this machine has: compilers, driver, OpenGL, lessons, fonts, display; what to install"));
  add_compiler_option(*command);
  command->callback([&exit_code] { exit_code = examine(); });
}

}  // namespace warpbook::app
