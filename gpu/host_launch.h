// Host launches: what a source's own host program launches, and with what, read without running it.
//
//     for (const HostLaunch& launch : host_launches(source.text))
//       if (launch.grid && launch.block) say("line {}: {}<<<{}, {}>>>", launch.line, launch.kernel, *launch.grid, *launch.block);
//
// main() is gone through from its first line to its last, with what is called on the way, once through each loop and as if it were
// started without arguments; then each other host function. Followed are whole and real numbers, dim3, the sizes of arrays
// (cudaMalloc, malloc, new, std::vector, float h[N]), what plain loops, memset and cudaMemcpy put into them, macros, constants and
// functions that are one return. What depends on anything else (files, time, argv) is not known, and is said not to be: nothing
// here is a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/types.h"

namespace warpbook::gpu {

/// An array as the host program made it.
struct HostArray {
  enum class Content : std::uint8_t { none, unknown, value, iota, random };  // none: nothing was put into it
  std::optional<std::uint64_t> bytes;
  Content content = Content::none;
  double value = 0;  // Content::value: in every element
};

/// One argument of a launch. Neither a number nor an array: not known.
struct HostArgument {
  std::string text;  // as written: "d_a", "n / 2"
  std::optional<double> number;
  std::optional<HostArray> array;
};

struct HostLaunch {
  std::string kernel;                                 // as written: "add", "scale<float>"
  int line = 0;                                       // of the source, from 1
  std::optional<Dim3> grid, block;                    // empty: not known
  std::optional<std::uint32_t> dynamic_shared_bytes;  // 0 where none is given
  std::vector<HostArgument> arguments;

  /// All that a launch needs is known: its shape and every argument.
  [[nodiscard]] bool complete() const;
};

/// In the order in which they would run, each place in the source once. `beside`: texts of headers, whose macros, constants and
/// functions count too. `defines`: macros given to the compiler.
[[nodiscard]] std::vector<HostLaunch> host_launches(std::string_view source, const std::vector<std::string_view>& beside = {},
                                                    const std::vector<std::pair<std::string, std::string>>& defines = {});

/// The first launch of a kernel, with the kernel's name as Kernel::name has it; nullptr: there is none.
[[nodiscard]] const HostLaunch* launch_of(const std::vector<HostLaunch>& launches, std::string_view kernel);

}  // namespace warpbook::gpu
