// CUDA's words for functions and variables, as clang's attributes.
#pragma once
#pragma clang system_header

// Programs ask by the guards of NVIDIA's headers whether these were included.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#ifdef __CUDA__
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#ifdef WARPBOOK_CC
// clang has no managed variables for CUDA: host code would use a copy of its own.
#define __managed__                                                                                                              \
  _Pragma("GCC error \"cc does not compile __managed__ variables. Use memory of cudaMallocManaged, or compile with 'warpbook nvcc'.\"") \
      __attribute__((device))
#else
#define __managed__ __attribute__((device))
#endif
#else  // C++ without kernels
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#endif

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(number)
#define __cluster_dims__(...)
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __device_builtin__
#define __cudart_builtin__
#define __nv_pure__ __attribute__((pure))
#define CUDART_CB
#define CUDARTAPI

// A function of ours leaves no debug information of its own: its instructions take the line that calls it, which is the learner's.
#define WARPBOOK_INLINE __inline__ __attribute__((always_inline, nodebug))
#define WARPBOOK_DEVICE __device__ WARPBOOK_INLINE
#define WARPBOOK_BOTH __host__ __device__ WARPBOOK_INLINE
#define WARPBOOK_LAMBDA __attribute__((always_inline, nodebug))
