// Lockstep: several warps that stand at the same instruction execute it together. They are the warps of one block, or of a few
// small blocks that begin together. What a handler has to find out about an instruction is then found out once for all of them;
// work on one warp does not wait for results that the next warp does not need; and a barrier that all reach together is nothing to
// do.
//
//     if (enter_lockstep(lockstep, blocks) && run_lockstep(lockstep) == LockstepResult::finished) finish_lockstep(lockstep);
//
// Where warps take different branches, lockstep ends: each block then runs on its own, and its warps one by one, until the next
// barrier.
//
// On a GPU, warps are seldom in lockstep, and Warpbook has to show what a forgotten barrier does. So a kernel whose barriers do not
// separate its accesses to shared memory (analysis/barrier_intervals.h) never runs in lockstep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpbook::gpu::vm {

struct Block;
struct Warp;

inline constexpr std::uint32_t most_warps = 64;  // CUDA's limit for one block is 32

/// The warps. Of each, all lanes that have not exited execute; the rows of exited lanes may be overwritten.
struct Lockstep {
  std::uint32_t count = 0;
  Warp* warps[most_warps];
  std::byte* rows[most_warps];    // of their frames
  std::byte* shared[most_warps];  // shared memory of their blocks
  std::span<Block* const> blocks;

  template <class T>
  [[nodiscard, gnu::always_inline]] T* row(std::uint32_t warp, std::uint64_t offset) const {
    return reinterpret_cast<T*>(rows[warp] + offset);
  }
};

/// True where all unfinished warps of these blocks, two at least, stand at one instruction; they are then in `lockstep`. The blocks
/// belong to one worker; the span must outlive the lockstep.
[[nodiscard]] bool enter_lockstep(Lockstep& lockstep, std::span<Block* const> blocks);

enum class LockstepResult {
  diverged,
  spinning,  // the worker's slice is used up
  finished,  // at the kernel's end: call finish_lockstep(), or start the blocks as others
};
[[nodiscard]] LockstepResult run_lockstep(Lockstep& lockstep);
void finish_lockstep(Lockstep& lockstep);

}  // namespace warpbook::gpu::vm
