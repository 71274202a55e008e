// Kernel signatures: the kernels of a compiled program and their parameters, as the learner wrote them.
//
//     std::vector<Kernel> kernels = list_kernels(ptx, source.text, {{"scale<float>", "_Z5scaleIfEvPT_"}});
//
// Three witnesses are heard. PTX knows which entries there are and each parameter's size and alignment. The mangled name knows
// the types, resolved. The source, read by a small tokenizer, knows the parameters' names and the types as written; where it
// cannot be read (a macro hides the signature), the parameter is called "argument N".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {

/// `instantiated`: name expressions and their lowered (mangled) names. Source may be empty: PTX that somebody else emitted.
[[nodiscard]] std::vector<Kernel> list_kernels(std::string_view ptx, std::string_view source,
                                               const std::vector<std::pair<std::string, std::string>>& instantiated = {});

/// "int", "const float*", "unsigned long long", "std::uint8_t" …; what a pointer points to. bool counts as uint8.
[[nodiscard]] std::optional<ScalarType> element_type(std::string_view type);

/// Spellings that mean the same become equal: "scale< float,4 >" → "scale<float, 4>".
[[nodiscard]] std::string normalised(std::string_view name);

}  // namespace warpbook::gpu
