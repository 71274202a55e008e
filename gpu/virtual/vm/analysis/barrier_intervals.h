// Barrier intervals: what a kernel can do to shared memory between two barriers of the whole block.
//
//     image.may_run_in_lockstep = barriers_separate_shared_accesses(kernel);
//
// The analysis follows the order of instructions only. It does not follow calls, and it takes every address in shared memory for
// the same.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

inline constexpr std::uint32_t named_barriers = 16;  // of a block (PTX ISA, bar)

/// `bar.sync 0` and the like: a barrier of the whole block with a constant number, without a thread count and without a predicate.
[[nodiscard]] bool is_plain_barrier(const ptx::Instruction& inst);

/// True where no path leads from a store to shared memory to a load of it without a barrier in between, and none from a load to a
/// store in the next iteration of a loop. Then the order in which warps run between two barriers cannot change what they load.
[[nodiscard]] bool barriers_separate_shared_accesses(const ptx::Function& kernel);

/// By pc: true at a plain barrier after which no path stores to shared memory before the next plain barrier.
[[nodiscard]] std::vector<bool> only_reads_shared_after(const ptx::Function& kernel);

}  // namespace warpbook::gpu::vm
