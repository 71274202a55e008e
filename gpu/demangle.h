// C++ names from a compiler's symbols: demangled("_Z5scalefPf") == "scale(float, float*)".
#pragma once

#include <optional>
#include <string>

namespace warpbook::gpu {

/// Empty if it is not a C++ symbol (an `extern "C"` name is its own demangled form).
[[nodiscard]] std::optional<std::string> demangled(const std::string& symbol);

}  // namespace warpbook::gpu
