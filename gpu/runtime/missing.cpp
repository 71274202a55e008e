// Defines every missing entry point as a weak symbol, which is replaced by the definition in another file if there is one.
#include "gpu/runtime/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "gpu/runtime/runtime.h"

namespace {

[[noreturn]] void missing(std::string_view name) {
  if (name.starts_with("__cuda")) name.remove_prefix(2);
  const std::string_view library = name.starts_with("cuda") ? "runtime" : "driver";
  warpbook::cudart::not_run(
      fmt::format("{} is not here: the virtual GPU's {} library does not have this call yet.", name, library));
}

}  // namespace

#define CUDART_ENTRY(name) \
  extern "C" __attribute__((weak)) void name() { missing(#name); }
#include "gpu/runtime/entry_points.def"
#undef CUDART_ENTRY

// The same with a name of its own, by which is_missing() knows it.
#define CUDA_ENTRY(name)                                                                                    \
  extern "C" __attribute__((visibility("hidden"), used)) void warpbook_missing_##name() { missing(#name); } \
  extern "C" __attribute__((weak, alias("warpbook_missing_" #name))) void name();
#include "gpu/runtime/driver_entry_points.def"
#undef CUDA_ENTRY

namespace warpbook::cudart {

bool is_missing(const void* function) {
  using Entry = void (*)();
#define CUDA_ENTRY(name) warpbook_missing_##name,
  static constexpr Entry all[] = {
#include "gpu/runtime/driver_entry_points.def"
  };
#undef CUDA_ENTRY
  return std::ranges::find(all, reinterpret_cast<Entry>(const_cast<void*>(function))) != std::end(all);
}

}  // namespace warpbook::cudart
