// DeviceSide: what of a .cu file is for the GPU. nvcc takes host and device code in one file and parts them itself; NVRTC refuses
// whatever is the host's, and a learner's program has a main().
//
//     DeviceSide side = device_side(text);
//     side.text;          // the same lines; what is the host's is blank
//     side.left_out;      // {{"main()", 12}, {"<iostream>", 1}}; empty: there was nothing, and text is the source
//
// Line ends may be CR LF and there may be a byte order mark: the text has neither.
//
// It reads declarations without compiling them. The host's are functions, prototypes and methods without __device__ or __global__
// (macros that stand for these count), variables outside functions without __device__, __constant__ … unless they are constants,
// headers of the host's, and what names the standard library's containers. A constexpr function is both sides' (nvcc: with
// --expt-relaxed-constexpr, or called with constants), so it gets a __device__. What has a word like "__gloabl__", and source whose
// brackets do not match, is left alone.
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
  std::vector<LeftOut> left_out;      // in the order of their lines
  std::vector<LeftOut> unmarked;      // what was left in and has no __device__: a constant, a type, a using, a constexpr function
  std::vector<std::string> launches;  // templates that what was left out launches: "scale<float>"

  /// Whether this word is a function or variable that is left out.
  [[nodiscard]] bool lacks(std::string_view word) const;
};

/// `headers`: more that cannot be included, by the name between the quotes or brackets. `beside`: the program's other texts, whose
/// macros may stand for __device__ here. `refused`: lines that the compiler refused; of DeviceSide::unmarked, what has one of them
/// is the host's too (a constant that a host function computes, a type of a host library).
[[nodiscard]] DeviceSide device_side(std::string_view source, const std::vector<std::string>& headers = {},
                                     std::span<const std::string_view> beside = {}, const std::set<int>& refused = {});

/// What is left of a program that was compiled so (Program::left_out), without the gaps: to be printed beside another main().
[[nodiscard]] std::string without_host_code(const std::string& source, const std::vector<std::string>& left_out,
                                            std::span<const std::string_view> beside = {});

/// Of the C++ standard library's or the toolkit's headers, one whose contents only the host can use.
[[nodiscard]] bool is_host_header(std::string_view name);

}  // namespace warpbook::gpu
