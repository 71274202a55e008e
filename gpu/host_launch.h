// Host launches: the launches of a source's host program with their arguments, found by reading the program without running it.
//
//     for (const HostLaunch& launch : host_launches(source.text))
//       if (launch.grid && launch.block) say("line {}: {}<<<{}, {}>>>", launch.line, launch.kernel, *launch.grid, *launch.block);
//
// main() is followed from its first line to its last, including the functions that it calls, once through each loop and as if it
// were started without arguments; then every other host function is. Tracked are integers, floating-point numbers, dim3, the sizes
// of arrays (cudaMalloc, malloc, new, std::vector, float h[N]), their contents after initialiser lists, plain loops, memset and
// cudaMemcpy, the members of structs, what cudaMemcpyToSymbol and plain assignments put into device variables, macros, constants,
// and functions that consist of one return. What depends on anything else (files, time, argv) is unknown and marked so. Nothing is
// guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/types.h"

namespace warpbook::gpu {

/// An array, as the host program allocates it.
struct HostArray {
  enum class Content : std::uint8_t { none, unknown, value, iota, random, list };  // none: nothing was put into it
  std::optional<std::uint64_t> bytes;
  Content content = Content::none;
  double value = 0;              // Content::value: the value of every element
  std::vector<double> elements;  // Content::list: the value of each element, at most most_listed_elements of them
};
inline constexpr std::size_t most_listed_elements = 1024;

struct HostMember;

/// One argument of a launch. Unknown if it holds neither a number nor an array nor members.
struct HostArgument {
  std::string text;  // as written: "d_a", "n / 2"
  std::optional<double> number;
  std::optional<HostArray> array;
  std::vector<HostMember> members;  // of a struct: those that are known
};

/// What a name stands for: a member of a struct, or a device variable.
struct HostMember {
  std::string name;  // of the member, or its position ("0") where a list gave it: "Params p = {1, 2}"
  HostArgument value;
};

struct HostLaunch {
  std::string kernel;                                 // as written: "add", "scale<float>"
  int line = 0;                                       // of the source, from 1
  std::optional<Dim3> grid, block;                    // empty: unknown
  std::optional<std::uint32_t> dynamic_shared_bytes;  // 0 where none is given
  std::vector<HostArgument> arguments;
  std::vector<HostMember> variables;  // what the host put into __constant__, __device__ and __managed__ variables before

  /// Whether the launch can be repeated: its shape and every argument are known.
  [[nodiscard]] bool complete() const;
};

/// All launches in the order in which they would run, each place in the source once. `beside`: texts of headers, whose macros,
/// constants and functions are used too. `defines`: macros from the command line.
[[nodiscard]] std::vector<HostLaunch> host_launches(std::string_view source, const std::vector<std::string_view>& beside = {},
                                                    const std::vector<std::pair<std::string, std::string>>& defines = {});

/// The first launch of a kernel, by Kernel::name. nullptr: there is none.
[[nodiscard]] const HostLaunch* launch_of(const std::vector<HostLaunch>& launches, std::string_view kernel);

}  // namespace warpbook::gpu
