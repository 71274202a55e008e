// MatrixLibrary: products of matrices by the library of the device's maker, to compare a kernel of one's own with.
//
//     if (MatrixLibrary* const library = device.matrix_library()) {      // nullptr: the device has none, or it was not found
//       Result<double> us = library->multiply(a, b, c);                  // c = a · b, and how long that took
//       if (us) say("{} took {} µs.", library->name(), *us);
//     }
//
// Arrays of float32 with two dimensions, row after row: a has m rows of k, b has k rows of n, c has m rows of n. c need not be
// written before. The time is measured on the device, between two events; the first product of a size also loads what it needs.
// Errors: "cudaErrorInvalidValue" where the shapes do not fit; the library's own name for what went wrong
// ("CUBLAS_STATUS_EXECUTION_FAILED"); CUDA's name and a sentence where the device failed.
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
