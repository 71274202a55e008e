#include "gpu/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpbook::gpu {

std::optional<std::string> demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return std::nullopt;  // an extern "s" is no mangled `short`
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return std::nullopt;
  return text.get();
}

}  // namespace warpbook::gpu
