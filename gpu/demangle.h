// C++ names from a compiler's symbols: demangled("_Z5scalefPf") == "scale(float, float*)".
#pragma once

#include <optional>
#include <string>

namespace warpbook::gpu {

/// Nothing: it is no C++ symbol (`extern "C"` names stand for themselves).
[[nodiscard]] std::optional<std::string> demangled(const std::string& symbol);

}  // namespace warpbook::gpu
