// The fast schedule of a launch: blocks are spread over the host's threads, and each warp runs until it must wait.
//
//     run_fast(machine, workers, resident_blocks);
#pragma once

#include <cstdint>

#include "gpu/virtual/vm/exec/block.h"

namespace warpbook::gpu::vm {

/// workers: host threads; with one, blocks run in order. resident_blocks: how many blocks a worker may have started but not
/// finished. They take turns when they wait for each other, as when one spins on what another will write. CUDA promises progress to
/// resident blocks only. Blocks before `first_block` have run already.
void run_fast(Machine& machine, unsigned workers, unsigned resident_blocks, std::uint64_t first_block = 0);

/// The fast schedule in an order that the launch's seed decides (seeded_order.h): one worker, one instruction after the other.
/// all_resident: the launch is cooperative, so that all its blocks must be resident at once.
void run_in_seeded_order(Machine& machine, unsigned resident_blocks, bool all_resident);

}  // namespace warpbook::gpu::vm
