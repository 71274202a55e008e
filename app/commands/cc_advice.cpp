#include "app/commands/cc_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace warpbook::app {
namespace {

// What the names of the toolkit's headers begin with that cc has no counterpart of.
constexpr std::array<std::string_view, 18> toolkits_headers{
    "thrust/", "cub/", "cublas", "cufft",  "cusparse", "cusolver", "curand_mtgp32", "cudnn", "nccl.h",
    "nvrtc.h", "npp",  "mma.h",  "nvjpeg", "nvml.h",   "cupti",    "cuda/std/",     "nv/",   "crt/"};
// Of NVIDIA's samples, in their folder Common.
constexpr std::array<std::string_view, 7> samples_headers{"helper_cuda",   "helper_functions", "helper_image", "helper_math.h",
                                                          "helper_string", "helper_timer",     "helper_gl"};

bool begins_with_any(std::string_view name, const auto& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

/// The name in the quotes before the place, or behind it.
std::string_view quoted_before(std::string_view text, std::size_t end) {
  const std::size_t begin = text.rfind('\'', end - 1);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}
std::string_view quoted_behind(std::string_view text) { return text.substr(0, text.find('\'')); }

std::string about_missing_file(std::string_view name) {
  if (begins_with_any(name, toolkits_headers))
    return fmt::format(
        "{} belongs to the CUDA Toolkit, and cc works without the toolkit. Compile with 'warpbook nvcc', where the toolkit is "
        "installed.",
        name);
  if (begins_with_any(name, samples_headers))
    return fmt::format("{} belongs to NVIDIA's CUDA samples: give the folder Common of a copy of them with -I.", name);
  return {};
}

}  // namespace

std::vector<std::string> cc_warnings(std::string_view ptx) {
  std::vector<std::string> sentences;
  constexpr std::string_view old = "// old: ";  // gpu/clang/include/warpbook/warp.h
  for (std::size_t at = ptx.find(old); at != std::string_view::npos; at = ptx.find(old, at + 1)) {
    const std::string_view rest = ptx.substr(at + old.size());
    const std::string_view name = rest.substr(0, rest.find_first_of(" \n"));
    std::string sentence = fmt::format(
        "{} is CUDA's name of before version 9, and nvcc no longer has it for GPUs since Volta. Write {}_sync, which takes the "
        "lanes that take part as its first argument: 0xffffffff for the whole warp.",
        name, name);
    if (std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<std::string> cc_advice(std::string_view errors) {
  std::vector<std::string> sentences;
  const auto say = [&](std::string sentence) {
    if (!sentence.empty() && std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(std::move(sentence));
  };
  if (errors.find("'curandGenerator_t'") != std::string_view::npos)
    say("curandGenerator_t belongs to cuRAND's calls for host code, which cc does not have. Draw the numbers in a kernel by "
        "curand_kernel.h, or in host code by <random>.");
  constexpr std::string_view missing = "' file not found", kernel = "reference to __global__ function '";
  for (std::size_t at = errors.find(missing); at != std::string_view::npos; at = errors.find(missing, at + 1))
    say(about_missing_file(quoted_before(errors, at)));
  for (std::size_t at = errors.find(kernel); at != std::string_view::npos; at = errors.find(kernel, at + 1))
    say(
        fmt::format("the kernel {} is launched by code that runs on the GPU (dynamic parallelism), which the virtual GPU does not "
                    "run. Launch it from host code.",
                    quoted_behind(errors.substr(at + kernel.size()))));
  return sentences;
}

}  // namespace warpbook::app
