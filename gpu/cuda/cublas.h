// Cublas: the entry points of NVIDIA's linear algebra library that a matrix product needs, loaded at run time. The library is part
// of the CUDA Toolkit and of pip's nvidia-cublas packages. It is not needed to build Warpbook.
//
//     if (const CublasPtr cublas = open_cublas()) say("{}", cublas->name);      // "cuBLAS 13.0"; nullptr: it was not found
//
// Looked for in the loader's path, then in the toolkit's folders (toolkit.h). It stays loaded until the process ends. The types are
// those of cublas_api.h: a handle is a pointer, statuses and operations are int.
#pragma once

#include <memory>
#include <string>

#include "gpu/cuda/driver_api.h"

namespace warpbook::gpu {

struct Cublas {
  using Handle = void*;
  static constexpr int success = 0;       // CUBLAS_STATUS_SUCCESS
  static constexpr int as_it_stands = 0;  // CUBLAS_OP_N

  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, CUstream) = nullptr;
  /// Column-major: c (m × n) = alpha · a (m × k) · b (k × n) + beta · c, with leading dimensions.
  int (*sgemm)(Handle, int a_operation, int b_operation, int m, int n, int k, const float* alpha, const float* a, int a_step,
               const float* b, int b_step, const float* beta, float* c, int c_step) = nullptr;
  std::string name;
};
using CublasPtr = std::shared_ptr<const Cublas>;

[[nodiscard]] CublasPtr open_cublas();

/// The status by name: "CUBLAS_STATUS_ALLOC_FAILED".
[[nodiscard]] std::string cublas_name(int status);

}  // namespace warpbook::gpu
