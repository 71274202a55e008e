// threadIdx, blockIdx, blockDim, gridDim, warpSize: special registers that look like variables.
#pragma once
#pragma clang system_header

#include <warpbook/vector_types.h>

#define WARPBOOK_INDEX(NAME, REGISTER)                                                                                       \
  struct warpbook_##NAME {                                                                                                   \
    __declspec(property(get = warpbook_x)) unsigned int x;                                                                   \
    __declspec(property(get = warpbook_y)) unsigned int y;                                                                   \
    __declspec(property(get = warpbook_z)) unsigned int z;                                                                   \
    static WARPBOOK_DEVICE unsigned int warpbook_x() { return __nvvm_read_ptx_sreg_##REGISTER##_x(); }                       \
    static WARPBOOK_DEVICE unsigned int warpbook_y() { return __nvvm_read_ptx_sreg_##REGISTER##_y(); }                       \
    static WARPBOOK_DEVICE unsigned int warpbook_z() { return __nvvm_read_ptx_sreg_##REGISTER##_z(); }                       \
    WARPBOOK_DEVICE operator uint3() const { return {warpbook_x(), warpbook_y(), warpbook_z()}; }                            \
    WARPBOOK_DEVICE operator dim3() const { return dim3(warpbook_x(), warpbook_y(), warpbook_z()); }                         \
  };                                                                                                                         \
  static const __device__ warpbook_##NAME NAME{};

WARPBOOK_INDEX(threadIdx, tid)
WARPBOOK_INDEX(blockIdx, ctaid)
WARPBOOK_INDEX(blockDim, ntid)
WARPBOOK_INDEX(gridDim, nctaid)
#undef WARPBOOK_INDEX

static const int warpSize = 32;
