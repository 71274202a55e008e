// CommonMistakes: sentences for what beginners write most often, where a compiler's message alone does not help them.
//
//     common_mistake(R"(identifier "threadidx" is undefined)", lines, 3)
//       → "threadidx is not declared here. Did you mean threadIdx? Capital letters count."
//
// A mistake is recognised by the message of NVRTC, nvcc or clang and by the source line. If both do not agree, there is no
// sentence.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpbook::gpu {

/// `lines`: the source. `line` and `column` count from 1; 0: not known. Empty: nothing is known of this error.
[[nodiscard]] std::string common_mistake(std::string_view message, std::span<const std::string_view> lines, int line, int column);

}  // namespace warpbook::gpu
