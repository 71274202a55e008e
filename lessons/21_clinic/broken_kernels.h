// BrokenKernels: the twelve kernels of kernels/clinic.cu with one mistake each: their launches, their inputs, and the results that
// they should store. The mistakes are not described here: the run finds them, and the page explains them.
//
//     const BrokenKernel& one = broken_kernels()[0];
//     const std::vector<std::int32_t> x = values_of(one), right = one.right(x);
//     launch(one.grid, one.block, one.shared_bytes, x, one.elements());
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/types.h"

namespace warpbook::lessons {

struct BrokenKernel {
  std::string_view id;       // "index": its name for --set
  std::string_view symptom;  // what its author noticed, in a short sentence
  gpu::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;   // dynamic, of a block
  std::size_t n = 0;                // number of elements of x
  std::size_t results = 0;          // number of elements of out that are results
  std::size_t extra = 0;            // number of further elements of out, for internal use
  std::uint32_t mended_blocks = 0;  // the right number of blocks, if the launch was the mistake; 0: the launch is unchanged
  std::vector<std::int32_t> (*right)(const std::vector<std::int32_t>& x) = nullptr;  // computes the results on the CPU

  [[nodiscard]] std::size_t elements() const { return results + extra; }
};

inline constexpr std::size_t broken_count = 12;
[[nodiscard]] const std::array<BrokenKernel, broken_count>& broken_kernels();

/// x of a kernel. It is always the same.
[[nodiscard]] std::vector<std::int32_t> values_of(const BrokenKernel& kernel);

}  // namespace warpbook::lessons
