// The part of NVIDIA's driver API that Warpbook calls: types, constants and numbers of its binary interface. With them, Warpbook is
// built without any file of NVIDIA's. The functions are found in libcuda.so.1 at run time (driver.h).
//
//     CUdeviceptr address = 0;
//     if (driver->memAlloc(&address, bytes) != CUDA_SUCCESS) …
//
// Names are CUDA's, in our namespace. The source is NVIDIA's "CUDA Driver API" reference. driver_api_test compares every constant,
// type and function with the toolkit's <cuda.h> if that is installed. No other file may include both, because some of these names
// are macros there.
#pragma once

#include <cstdint>

namespace warpbook::gpu {

using CUdeviceptr = unsigned long long;  // an address in the GPU's memory; hosts are 64-bit
using CUdevice = int;                    // the device's ordinal

// Opaque handles.
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraphicsResource = struct CUgraphicsResource_st*;

// C enumerations without negative values have the type unsigned int.
enum CUresult : unsigned int {
#define DRIVER_RESULT(driver, number, runtime) driver = (number),
#include "gpu/cuda/driver_results.def"
};

/// The numbers are in gpu/attributes.def.
enum CUdevice_attribute : unsigned int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
};
inline constexpr int CU_COMPUTEMODE_PROHIBITED = 2;

enum CUfunction_attribute : unsigned int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

enum CUjit_option : unsigned int {
  CU_JIT_ERROR_LOG_BUFFER = 5,            // a char*
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6  // the size, stored in the pointer's place
};

// Flags of functions that create something.
inline constexpr unsigned int CU_CTX_SCHED_BLOCKING_SYNC = 0x04, CU_CTX_MAP_HOST = 0x08;
inline constexpr unsigned int CU_MEMHOSTALLOC_DEVICEMAP = 0x02;
inline constexpr unsigned int CU_STREAM_DEFAULT = 0x0, CU_STREAM_NON_BLOCKING = 0x1;
inline constexpr unsigned int CU_EVENT_DEFAULT = 0x0;
inline constexpr unsigned int CU_GRAPHICS_REGISTER_FLAGS_NONE = 0x00;

/// Which devices of an OpenGL context are asked for.
enum CUGLDeviceList : unsigned int { CU_GL_DEVICE_LIST_ALL = 0x01 };

/// The legacy default stream, which waits for all others.
inline const CUstream CU_STREAM_LEGACY = reinterpret_cast<CUstream>(std::uintptr_t{1});

}  // namespace warpbook::gpu
