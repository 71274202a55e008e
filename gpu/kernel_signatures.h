// Kernel signatures: the kernels of a compiled program and their parameters, as the source writes them.
//
//     std::vector<Kernel> kernels = list_kernels(ptx, source.text, {{"scale<float>", "_Z5scaleIfEvPT_"}});
//
// Three sources are combined. The PTX knows the entry points and each parameter's size and alignment. The mangled name knows the
// resolved types. The source, read by a small tokenizer, knows the parameters' names and the types as written. If a macro hides the
// signature there, a parameter is called "argument N".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {

/// `instantiated`: name expressions and their lowered (mangled) names. The source may be empty, for PTX that was not compiled here.
[[nodiscard]] std::vector<Kernel> list_kernels(std::string_view ptx, std::string_view source,
                                               const std::vector<std::pair<std::string, std::string>>& instantiated = {});

/// The element type for "int", "unsigned long long", "std::uint8_t" …, or for what a pointer like "const float*" points to. bool
/// becomes uint8.
[[nodiscard]] std::optional<ScalarType> element_type(std::string_view type);

/// A canonical spelling, to compare names: "scale< float,4 >" becomes "scale<float, 4>".
[[nodiscard]] std::string normalised(std::string_view name);

}  // namespace warpbook::gpu
