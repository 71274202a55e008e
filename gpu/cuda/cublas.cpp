#include "gpu/cuda/cublas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "gpu/toolkit.h"

namespace warpbook::gpu {
namespace {

void* open_library() {
  constexpr const char* names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  for (const char* name : names)
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const auto& folder : toolkit_library_folders())
    for (const char* name : names) {
      // cuBLAS loads this library by its bare name, which the loader finds only if it is already loaded.
      for (const char* companion : {"libcublasLt.so.13", "libcublasLt.so.12"})
        dlopen((folder / companion).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (void* handle = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    }
  return nullptr;
}

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

CublasPtr open_cublas() {
  void* const library = open_library();
  if (library == nullptr) return nullptr;
  Cublas table;
  int (*property)(int which, int* value) = nullptr;
  const bool complete = resolve(library, "cublasCreate_v2", table.create) && resolve(library, "cublasDestroy_v2", table.destroy) &&
                        resolve(library, "cublasSetStream_v2", table.set_stream) &&
                        resolve(library, "cublasSgemm_v2", table.sgemm) && resolve(library, "cublasGetProperty", property);
  int major = 0, minor = 0;
  if (!complete || property(0, &major) != Cublas::success || property(1, &minor) != Cublas::success) return nullptr;
  table.name = fmt::format("cuBLAS {}.{}", major, minor);
  return std::make_shared<const Cublas>(std::move(table));
}

std::string cublas_name(int status) {
  switch (status) {
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return fmt::format("CUBLAS status {}", status);
  }
}

}  // namespace warpbook::gpu
