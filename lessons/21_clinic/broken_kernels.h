// BrokenKernels: the twelve kernels of kernels/clinic.cu, each with one mistake: how it is launched, on which values, and what it
// must store. What is wrong with it is not said here: the run finds it, and the page explains it.
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
  std::string_view id;       // "index": as --set takes it
  std::string_view symptom;  // what its author saw: a short sentence
  gpu::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;   // dynamic, a block
  std::size_t n = 0;                // values of x
  std::size_t results = 0;          // elements of out that are the result, from the first on
  std::size_t extra = 0;            // … and behind them, for the kernel's own use
  std::uint32_t mended_blocks = 0;  // where the launch is what was wrong: the right number of blocks; 0: the launch stays
  std::vector<std::int32_t> (*right)(const std::vector<std::int32_t>& x) = nullptr;  // on the CPU: the results

  [[nodiscard]] std::size_t elements() const { return results + extra; }
};

inline constexpr std::size_t broken_count = 12;
[[nodiscard]] const std::array<BrokenKernel, broken_count>& broken_kernels();

/// x of a kernel: always the same values.
[[nodiscard]] std::vector<std::int32_t> values_of(const BrokenKernel& kernel);

}  // namespace warpbook::lessons
