// March: the warps of a block that stand at the same instruction, each with all its lanes. Most blocks march most of the way: what
// an instruction's handler has to find out is found out once for all warps, work on one warp does not wait for results that
// the next one does not need, and a barrier that all reach together is nothing to do.
//
//     if (block.gather(march)) block.go_on(march);
//
// Warps fall out of step where they branch apart, and are then run one by one until the next barrier.
//
// On a GPU warps are seldom in step, and what a forgotten barrier does should be seen: a kernel that lacks one does not march.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct Warp;

/// No path of the kernel leads from a store to shared memory to a load of it without a barrier between them, nor from a load to a
/// store of a loop's next turn. By the order of instructions alone: calls and addresses are not followed.
[[nodiscard]] bool may_march(const ptx::Function& kernel);

/// bar.sync 0 and its like: no counts, no predicate.
[[nodiscard]] bool is_plain_barrier(const ptx::Instruction& inst);

/// By pc: a plain barrier of the whole block, behind which no path stores to shared memory before the next one.
[[nodiscard]] std::vector<bool> reads_only_behind(const ptx::Function& kernel);

inline constexpr std::uint32_t most_warps = 64;  // of a block; CUDA's limit is 32

/// All lanes that are alive execute; rows of lanes that are not may be overwritten.
struct March {
  std::uint32_t count = 0;
  std::byte* shared = nullptr;
  Warp* warps[most_warps];
  std::byte* rows[most_warps];  // their frames'

  template <class T>
  [[nodiscard, gnu::always_inline]] T* row(std::uint32_t warp, std::uint64_t offset) const {
    return reinterpret_cast<T*>(rows[warp] + offset);
  }
};

}  // namespace warpbook::gpu::vm
