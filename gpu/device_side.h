// DeviceSide: separates the device code of a .cu file from its host code. nvcc takes both in one file and separates them itself.
// NVRTC refuses host code, and most programs have a main().
//
//     DeviceSide side = device_side(text);
//     side.text;          // the same lines, with host code blanked out
//     side.left_out;      // {{"main()", 12}, {"<iostream>", 1}}; empty: there was no host code, and text is the source
//
// The source may have CR LF line ends and a byte order mark; DeviceSide::text has neither.
//
// Declarations are recognised by their tokens, without a compiler. Host code is: functions, prototypes and methods without
// __device__ or __global__ (or a macro that stands for them), variables outside functions without __device__ or __constant__ unless
// they are constants, host headers, and declarations that name containers of the standard library. A constexpr function is for both
// sides (as in nvcc with --expt-relaxed-constexpr), so it gets a __device__. Declarations with a misspelt word like "__gloabl__",
// and sources with unbalanced brackets, stay as they are.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {

struct DeviceSide {
  struct LeftOut {
    std::string name;             // "main()", "<iostream>", "h_data"
    int line = 0, last_line = 0;  // from 1
    [[nodiscard]] bool is(std::string_view word) const { return name == word || name == std::string(word) + "()"; }
  };
  std::string text;
  std::vector<LeftOut> left_out;  // ordered by line
  std::vector<LeftOut>
      unmarked;  // declarations that were kept without a __device__: a constant, a type, a using, a constexpr function
  std::vector<std::string> launches;  // template instances that host code launches: "scale<float>"

  /// Whether this is the name of a function or variable that was left out.
  [[nodiscard]] bool lacks(std::string_view word) const;
};

/// `headers`: further headers that cannot be included, by the name between quotes or brackets. `beside`: the program's other texts,
/// which may define macros for __device__. `refused`: lines that the compiler refused; a declaration of DeviceSide::unmarked on one
/// of these lines is treated as host code (a constant that a host function computes, a type of a host library).
[[nodiscard]] DeviceSide device_side(std::string_view source, const std::vector<std::string>& headers = {},
                                     std::span<const std::string_view> beside = {}, const std::set<int>& refused = {});

/// The remaining device code of a program (Program::left_out) without blank gaps, to be printed beside another main().
[[nodiscard]] std::string without_host_code(const std::string& source, const std::vector<std::string>& left_out,
                                            std::span<const std::string_view> beside = {});

/// Whether a header of the C++ standard library or of the toolkit is of use to host code only.
[[nodiscard]] bool is_host_header(std::string_view name);

}  // namespace warpbook::gpu
