// How programs look up the driver's calls by name. Newer CUDA libraries do this, and so does CUDA's own runtime library if it is
// linked statically. The latter also needs internal tables that only NVIDIA's driver has: then the program ends with a message that
// says what to do.
#include <dlfcn.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/runtime/calls.h"
#include "gpu/runtime/missing.h"

namespace warpbook::cudart {
namespace {

/// A driver call of this library in its newest version: cuMemAlloc_v2 for "cuMemAlloc".
void* driver_call(const std::string& name) {
  static void* const own = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&driver_call), &info);
    return info.dli_fname ? dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
  }();
  if (!own || !name.starts_with("cu")) return nullptr;
  for (const char* version : {"_v2", ""})
    if (void* const found = dlsym(own, (name + version).c_str()); found && !is_missing(found)) return found;
  return nullptr;
}

}  // namespace
}  // namespace warpbook::cudart

using namespace warpbook::cudart;

extern "C" {

int cuGetProcAddress(const char* name, void** function, int, std::uint64_t) {
  if (!name || !function) return cudaErrorInvalidValue;
  *function = driver_call(name);
  return *function ? cudaSuccess : cudaErrorSymbolNotFound;
}
int cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
  if (!name || !function) return cudaErrorInvalidValue;
  *function = driver_call(name);
  if (status) *status = *function ? 0 : 1;  // found or not found
  return *function ? cudaSuccess : cudaErrorSymbolNotFound;
}

int cuGetExportTable(const void**, const void*) {
  const Call call(__func__);
  // NVRTC looks for a table if a driver is loaded, and goes on without.
  Dl_info caller{};
  dladdr(__builtin_return_address(0), &caller);
  if (caller.dli_fname && std::string_view(caller.dli_fname).find("libnvrtc") != std::string_view::npos)
    return cudaErrorNotSupported;
  not_run(
      "CUDA's own runtime library is linked into this program or into a library that it uses, and works with NVIDIA's driver "
      "alone. Link it with nvcc's option -cudart shared, or compile it with 'warpbook nvcc'.");
  return cudaErrorNotSupported;
}

}  // extern "C"
