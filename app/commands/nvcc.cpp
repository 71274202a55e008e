#include "gpu/nvcc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/nvcc_words.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

/// "-arch=sm_80" and "-arch sm_80": the value.
struct Option {
  std::string_view name, value;
  bool two_words = false;
};
Option option_at(const std::vector<std::string>& words, std::size_t at) {
  const std::string_view word = words[at];
  if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
    return {word.substr(0, equals), word.substr(equals + 1)};
  return {word, at + 1 < words.size() ? std::string_view(words[at + 1]) : std::string_view(), true};
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> of) {
  for (const std::string_view one : of)
    if (name == one) return true;
  return false;
}

/// "80" of "sm_80" and of "arch=compute_80,code=sm_80", "90a" of "sm_90a"; nothing: none is named.
std::string_view architecture_in(std::string_view value) {
  const std::size_t at = value.find('_');
  if (at == std::string_view::npos) return {};
  const std::string_view rest = value.substr(at + 1);
  return rest.substr(0, std::min(rest.find_first_not_of("0123456789af"), rest.size()));
}

int number_of(std::string_view architecture) {
  int number = 0;
  std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  return number;
}

}  // namespace

std::vector<std::string> nvcc_words(const std::vector<std::string>& given) {
  constexpr int oldest = 75;  // that CUDA 13's nvcc compiles for
  std::vector<std::string> words;
  std::string newest = std::to_string(oldest);
  bool device_debug = false;
  for (std::size_t w = 0; w < given.size(); ++w) {
    const Option option = option_at(given, w);
    const bool architecture = is_any(option.name, {"-arch", "--gpu-architecture", "-gencode", "--generate-code"});
    if (architecture)
      if (const std::string_view named = architecture_in(option.value); number_of(named) > number_of(newest)) newest = named;
    if (architecture || is_any(option.name, {"-code", "--gpu-code", "-cudart", "--cudart"})) {
      if (option.two_words) ++w;
      continue;
    }
    device_debug |= is_any(option.name, {"-G", "--device-debug"});
    words.push_back(given[w]);
  }
  words.insert(words.end(), {"-cudart", "shared", "-g"});
  if (!device_debug) words.emplace_back("-lineinfo");
  // PTX is what the virtual GPU runs. Machine code would take the longest part of the compilation.
  words.insert(words.end(), {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", newest)});
  return words;
}

void add_nvcc(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand(
      "nvcc", say("the CUDA Toolkit's nvcc, with what 'warpbook exec' needs: PTX, lines, the shared runtime library"));
  command->set_help_flag("--help", say("this text; nvcc's own is that of 'nvcc --help'"));
  command->allow_extras();
  command->footer(say("\n  warpbook nvcc -O3 -o heat heat.cu\n  warpbook exec -- ./heat"));
  command->callback([command, &exit_code] {
    const auto nvcc = gpu::find_nvcc();
    if (!nvcc) {
      exit_code = complain(
          exit_missing,
          say("nvcc was not found. Install the CUDA Toolkit (no GPU is needed), or set CUDA_PATH to where it lies. nvcc also "
              "needs gcc."));
      return;
    }
    std::vector<std::string> words = nvcc_words(command->remaining());
    words.insert(words.begin(), nvcc->path);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::fflush(nullptr);
    execv(nvcc->path.c_str(), arguments.data());
    exit_code =
        complain(exit_missing, say("{path} could not be started: {why}.", "path"_a = nvcc->path, "why"_a = std::strerror(errno)));
  });
}

}  // namespace warpbook::app
