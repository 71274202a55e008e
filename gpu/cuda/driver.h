// Driver: the table of NVIDIA's driver API's entry points, loaded at run time, so that one binary runs with or without the driver.
//
//     Result<DriverPtr> driver = open_driver();
//     if (!driver) return failure(driver.error());        // a sentence that says what to install
//     if (CUresult r = (*driver)->memAlloc(&address, bytes); r != CUDA_SUCCESS) say(cuda_name(r));
//
// Everything in gpu/cuda calls the driver through this table, so that tests can pass a table of their own. A member has the name of
// CUDA's function without "cu"; driver.def lists them with their symbols. The library stays loaded until the process ends, because
// CUDA does not support unloading it.
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

  CublasPtr (*open_cublas)() = &gpu::open_cublas;  // called once, for the first matrix product
  int version = 0;                                 // newest CUDA version of the driver: 13000 for 13.0
  std::string path;                                // of the library
};
using DriverPtr = std::shared_ptr<const Driver>;

/// Loads libcuda.so.1 and initialises it. Error codes: "no_driver" (it is missing, it is the toolkit's stub, or it is too old),
/// otherwise CUDA's name of cuInit's error ("cudaErrorNoDevice", "cudaErrorSystemDriverMismatch" …).
[[nodiscard]] Result<DriverPtr> open_driver();

/// The part after loading, for tests: calls cuInit, turns its errors into sentences, reads the version.
[[nodiscard]] Result<DriverPtr> start_driver(Driver table);

/// What a driver can load from a compiler, by the CUDA versions of both: PTX of the driver's version or an older one; within one
/// major version also machine code of newer compilers (CUDA's minor version compatibility).
enum class Loads { ptx, machine_code, nothing };
[[nodiscard]] Loads what_loads(int driver_version, int compiler_version);

/// The version as text: "13.0".
[[nodiscard]] std::string version_text(int cuda_version);

/// The CUDA runtime's name of a driver's result, because that is the name learners know: "cudaErrorIllegalAddress" for 700.
[[nodiscard]] std::string cuda_name(CUresult result);

/// An Error in CUDA's terms: `what` is the failed action ("`out` could not be allocated"), followed by the reason.
[[nodiscard]] Error driver_error(const Driver& driver, CUresult result, std::string_view what);

/// Whether this result makes the context unusable. CUDA calls such errors sticky.
[[nodiscard]] bool is_sticky(CUresult result);

}  // namespace warpbook::gpu
