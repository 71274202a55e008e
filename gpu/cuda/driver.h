// Driver: NVIDIA's driver API as a table of its entry points, opened at run time, so that one binary runs with and without it.
//
//     Result<DriverPtr> driver = open_driver();
//     if (!driver) return failure(driver.error());        // a sentence that says what to install
//     if (CUresult r = (*driver)->memAlloc(&address, bytes); r != CUDA_SUCCESS) say(cuda_name(r));
//
// Everything in gpu/cuda calls through the table, so that tests hand in one of their own. Members are called as CUDA's functions
// without "cu"; rows and symbols stand in driver.def. The library stays open for the life of the process: CUDA does not promise
// that it can be unloaded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/cuda/cublas.h"
#include "gpu/cuda/driver_api.h"
#include "gpu/result.h"

namespace warpbook::gpu {

struct Driver {
#define DRIVER_ENTRY(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "gpu/cuda/driver.def"

  CublasPtr (*open_cublas)() = &gpu::open_cublas;  // asked once, when a product is wanted
  int version = 0;                                 // newest CUDA that the driver knows: 13000 for 13.0
  std::string path;                                // of the library
};
using DriverPtr = std::shared_ptr<const Driver>;

/// Opens libcuda.so.1 and initialises it. Error codes: "no_driver" (there is none, it is the toolkit's stub, or it is too old),
/// otherwise CUDA's own name for what cuInit answered ("cudaErrorNoDevice", "cudaErrorSystemDriverMismatch" …).
[[nodiscard]] Result<DriverPtr> open_driver();

/// What follows loading, for tests: cuInit, its errors as sentences, the version.
[[nodiscard]] Result<DriverPtr> start_driver(Driver table);

/// What of a compiler's a driver loads, by the CUDA versions of both: PTX that is no later than the driver, and within one major
/// version machine code of later compilers (CUDA's minor version compatibility).
enum class Loads { ptx, machine_code, nothing };
[[nodiscard]] Loads what_loads(int driver_version, int compiler_version);

/// "13.0"
[[nodiscard]] std::string version_text(int cuda_version);

/// The CUDA runtime's name for a driver's result, which is what learners meet: "cudaErrorIllegalAddress" for 700.
[[nodiscard]] std::string cuda_name(CUresult result);

/// An Error in CUDA's words: `what` says what was tried ("`out` could not be allocated"), the rest says why.
[[nodiscard]] Error driver_error(const Driver& driver, CUresult result, std::string_view what);

/// After such a result nothing of the context can be used any more: CUDA calls these errors sticky.
[[nodiscard]] bool is_sticky(CUresult result);

}  // namespace warpbook::gpu
