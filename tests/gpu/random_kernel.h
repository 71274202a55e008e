// Random kernels as PTX text, from a seed: arithmetic, loads and stores of every width and pattern, loops, divergent branches,
// calls, exchanges through shared memory. Free of races and of undefined values by construction, so that every schedule, watched
// or not, must leave the same bytes behind.
//
//     const RandomKernel kernel = random_kernel(seed);
//     launch(kernel.ptx, kernel.grid, kernel.block, in, out, counters, kernel.scalar);   // parameters in this order
//
// `in` has in_bytes and is only read. `out` has out_bytes; each thread writes its own part. `counters` is the target of atomics
// whose order does not matter. Both are zero at first.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/types.h"

namespace warpbook::gpu::test {

struct RandomKernel {
  static constexpr std::size_t in_bytes = 1 << 17, counter_bytes = 1 << 10;
  std::string ptx;
  Dim3 grid, block;
  std::size_t out_bytes = 0;
  std::uint32_t scalar = 0;
};

[[nodiscard]] RandomKernel random_kernel(std::uint64_t seed);

}  // namespace warpbook::gpu::test
