// March: warps that stand at the same instruction, each with all its lanes: those of a block, or of a few small blocks that begin
// together. Most march most of the way: what an instruction's handler has to find out is found out once for all warps, work on
// one warp does not wait for results that the next one does not need, and a barrier that all reach together is nothing to do.
//
//     if (gather(march, blocks) && go_on(march) == Marched::to_the_end) end(march);
//
// Warps fall out of step where they branch apart. Then each block runs on its own, and its warps one by one until the next
// barrier.
//
// On a GPU warps are seldom in step, and what a forgotten barrier does should be seen: a kernel that lacks one does not march.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct Block;
struct Warp;

/// No path of the kernel leads from a store to shared memory to a load of it without a barrier between them, nor from a load to a
/// store of a loop's next turn. By the order of instructions alone: calls and addresses are not followed.
[[nodiscard]] bool may_march(const ptx::Function& kernel);

/// bar.sync 0 and its like: no counts, no predicate.
[[nodiscard]] bool is_plain_barrier(const ptx::Instruction& inst);

/// By pc: a plain barrier of the whole block, behind which no path stores to shared memory before the next one.
[[nodiscard]] std::vector<bool> reads_only_behind(const ptx::Function& kernel);

inline constexpr std::uint32_t most_warps = 64;  // CUDA's limit for one block is 32

/// All lanes that are alive execute; rows of lanes that are not may be overwritten.
struct March {
  std::uint32_t count = 0;
  Warp* warps[most_warps];
  std::byte* rows[most_warps];    // their frames'
  std::byte* shared[most_warps];  // their blocks'
  std::span<Block* const> blocks;

  template <class T>
  [[nodiscard, gnu::always_inline]] T* row(std::uint32_t warp, std::uint64_t offset) const {
    return reinterpret_cast<T*>(rows[warp] + offset);
  }
};

/// Do all warps of these blocks that have not finished, two at least, stand at one instruction? Then the march has them. The blocks
/// are of one worker; the span must last as long as they march.
[[nodiscard]] bool gather(March& march, std::span<Block* const> blocks);

enum class Marched {
  apart,
  spinning,    // it used up its slice
  to_the_end,  // of the kernel: end() it, or start its blocks as others
};
[[nodiscard]] Marched go_on(March& march);
void end(March& march);

}  // namespace warpbook::gpu::vm
