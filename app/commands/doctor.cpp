#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <array>
#include <cstdlib>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/nvidia_driver.h"
#include "app/fonts.h"
#include "app/offscreen.h"
#include "gpu/compiler.h"

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

bool say_driver() {
  const NvidiaDriver driver = probe_nvidia_driver();
  if (driver.devices.empty()) {
    return say("NVIDIA driver", false, Need::optional,
               fmt::format("{}. Not needed: kernels run on the virtual GPU.", driver.missing));
  }
  std::string names;
  for (const NvidiaDriver::Gpu& device : driver.devices) names += (names.empty() ? "" : ", ") + device.name;
  return say("NVIDIA driver", true, Need::optional,
             fmt::format("CUDA {}: {}. This version launches on the virtual GPU only.", driver.version, names));
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
  missing |= say_driver();
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
