// Defines every missing entry point as a weak symbol, which is replaced by the definition in another file if there is one.
#include <fmt/format.h>

#include <string_view>

#include "gpu/runtime/runtime.h"

namespace {

[[noreturn]] void missing(std::string_view name) {
  if (name.starts_with("__cuda")) name.remove_prefix(2);
  warpbook::cudart::not_run(fmt::format("{} is not here: the virtual GPU's runtime library does not have this call yet.", name));
}

}  // namespace

#define CUDART_ENTRY(name) \
  extern "C" __attribute__((weak)) void name() { missing(#name); }
#include "gpu/runtime/entry_points.def"
#undef CUDART_ENTRY
