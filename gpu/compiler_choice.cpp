// Which compiler to use: the environment's choice, or else the settings'.
#include <array>
#include <atomic>
#include <cstdlib>

#include "gpu/compiler.h"

namespace warpbook::gpu {
namespace {

constexpr std::array<std::string_view, 4> choice_names{"automatic", "nvrtc", "nvcc", "clang"};
static_assert(static_cast<std::size_t>(CompilerChoice::clang) + 1 == choice_names.size());

std::atomic<CompilerChoice> preferred{CompilerChoice::automatic};

}  // namespace

std::string_view name_of(CompilerChoice choice) { return choice_names[static_cast<std::size_t>(choice)]; }

std::optional<CompilerChoice> compiler_choice_named(std::string_view name) {
  for (std::size_t i = 0; i < choice_names.size(); ++i)
    if (choice_names[i] == name) return static_cast<CompilerChoice>(i);
  return std::nullopt;
}

void prefer_compiler(CompilerChoice choice) { preferred = choice; }

CompilerChoice compiler_choice() {
  const char* const asked = std::getenv("WARPBOOK_COMPILER");
  return compiler_choice_named(asked == nullptr ? "" : asked).value_or(preferred.load());
}

}  // namespace warpbook::gpu
