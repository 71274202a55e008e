#include "gpu/nvcc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/nvcc_words.h"

namespace warpbook::app {
namespace {

/// "-arch=sm_80" and "-arch sm_80": the value; `words` is advanced past it.
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

}  // namespace

std::vector<std::string> nvcc_words(const std::vector<std::string>& given) {
  std::vector<std::string> words;
  bool architecture = false, ptx = false, listed = false, device_debug = false;
  std::string newest = "75";  // of the architectures that are named, for PTX of it
  for (std::size_t w = 0; w < given.size(); ++w) {
    const Option option = option_at(given, w);
    const bool shorthand = is_any(option.name, {"-arch", "--gpu-architecture"});
    if (is_any(option.name, {"-cudart", "--cudart"}) || (shorthand && is_any(option.value, {"native", "all", "all-major"}))) {
      if (option.two_words) ++w;  // the shared one is added below, and there is no GPU to ask for its architecture
      continue;
    }
    const bool gencode = is_any(option.name, {"-gencode", "--generate-code"});
    const bool code = is_any(option.name, {"-code", "--gpu-code"});
    architecture |= shorthand || gencode;
    listed |= gencode || code;
    if (gencode || code) {
      const std::size_t at = gencode ? option.value.find("code=") : 0;
      ptx |= at != std::string_view::npos && option.value.find("compute_", at) != std::string_view::npos;
    }
    if (shorthand || gencode)
      if (const std::size_t at = option.value.find('_'); at != std::string_view::npos) {
        const std::size_t end = option.value.find_first_not_of("0123456789", at + 1);
        newest = std::string(option.value.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
      }
    device_debug |= is_any(option.name, {"-G", "--device-debug"});
    words.push_back(given[w]);
  }
  words.insert(words.end(), {"-cudart", "shared", "-g"});
  if (!device_debug) words.emplace_back("-lineinfo");
  // PTX is what the virtual GPU runs; -arch alone embeds it, a list embeds what it names.
  if (!architecture || (listed && !ptx))
    words.insert(words.end(), {"-gencode", fmt::format("arch=compute_{},code=compute_{}", newest, newest)});
  return words;
}

void add_nvcc(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand(
      "nvcc", "the CUDA Toolkit's nvcc, with what 'warpbook exec' needs: PTX, lines, the shared runtime library");
  command->set_help_flag("--help", "this text; nvcc's own is that of 'nvcc --help'");
  command->allow_extras();
  command->footer("\n  warpbook nvcc -O3 -o heat heat.cu\n  warpbook exec -- ./heat");
  command->callback([command, &exit_code] {
    const auto nvcc = gpu::find_nvcc();
    if (!nvcc) {
      exit_code =
          complain(exit_missing,
                   "nvcc was not found. Install the CUDA Toolkit (no GPU is needed), or set CUDA_PATH to where it lies. nvcc also "
                   "needs gcc.");
      return;
    }
    std::vector<std::string> words = nvcc_words(command->remaining());
    words.insert(words.begin(), nvcc->path);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::fflush(nullptr);
    execv(nvcc->path.c_str(), arguments.data());
    exit_code = complain(exit_missing, fmt::format("{} could not be started: {}.", nvcc->path, std::strerror(errno)));
  });
}

}  // namespace warpbook::app
