// An entry point that is not here: weak, so that the one that some other file defines is taken, where there is one.
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
