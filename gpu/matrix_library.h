// MatrixLibrary: matrix products by the vendor's library, for comparison with one's own kernel.
//
//     if (MatrixLibrary* const library = device.matrix_library()) {      // nullptr: the device has none, or it was not found
//       Result<double> us = library->multiply(a, b, c);                  // c = a · b, and how long that took
//       if (us) say("{} took {} µs.", library->name(), *us);
//     }
//
// The arrays are two-dimensional float32 arrays in row-major order: a has m rows of k elements, b has k rows of n, c has m rows of
// n. c need not be initialised. The time is measured on the device between two events. The first product of a size also includes
// loading code.
// Errors: "cudaErrorInvalidValue" if the shapes do not match; the library's name of its own error
// ("CUBLAS_STATUS_EXECUTION_FAILED"); CUDA's name and a sentence if the device failed.
#pragma once

#include <string>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::gpu {

class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;

  [[nodiscard]] virtual std::string name() const = 0;  // "cuBLAS 13.0"
  [[nodiscard]] virtual Result<double> multiply(const Buffer& a, const Buffer& b, const Buffer& c) = 0;
};

}  // namespace warpbook::gpu
