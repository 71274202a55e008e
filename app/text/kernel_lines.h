// KernelLines: the lines of a file that matter when a launch is talked about: the launched function, as it was compiled.
//
//     for (const std::size_t line : kernel_lines(lines, "count", {{"USE_ATOMIC_ADD", "0"}})) print(lines[line]);
//
// From the function's first line to its last brace, without preprocessor lines, what they leave out, and lines of comment only.
// Empty where the file has no such function. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/highlight.h"

namespace warpbook::app {

[[nodiscard]] std::vector<std::size_t> kernel_lines(const std::vector<std::string>& lines, std::string_view kernel,
                                                    const Defines& defines);

}  // namespace warpbook::app
