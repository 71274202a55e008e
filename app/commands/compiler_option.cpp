#include "app/commands/compiler_option.h"

#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <cstdlib>
#include <string>

#include "gpu/compiler.h"
#include "gpu/message.h"

namespace warpbook::app {

void add_compiler_option(CLI::App& command) {
  const auto choose = [](const std::string& name) {
    if (!gpu::compiler_choice_named(name))
      throw CLI::ValidationError("--compiler",
                                 say("there is no compiler '{name}': it is nvrtc, nvcc, clang or automatic", "name"_a = name));
    setenv("WARPBOOK_COMPILER", name.c_str(), 1);
  };
  command
      .add_option_function<std::string>("--compiler", choose,
                                        say("nvrtc, nvcc or clang alone; without it NVRTC, and clang where NVRTC is not found"))
      ->type_name("nvrtc|nvcc|clang");
}

}  // namespace warpbook::app
