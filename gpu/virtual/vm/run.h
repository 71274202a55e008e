// The two schedules of a launch. Both run the same instructions; they differ in who goes when.
//
//     run_fast(machine, workers, resident_blocks);             // blocks over host threads, warps until they must wait
//     std::uint64_t cycles = run_clock(machine, figures);      // one host thread, seeded: a model of time
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/virtual/vm/block.h"

namespace warpbook::gpu::vm {

/// workers: host threads; 1 keeps blocks in order. resident_blocks: how many blocks one worker may have under way when they wait
/// for each other (spin on what another block will write); CUDA promises progress only to resident blocks.
void run_fast(Machine& machine, unsigned workers, unsigned resident_blocks);

/// What the clock needs to know of a device. Cycles of the multiprocessor's clock; see profiles.h for meanings and sources.
struct ClockFigures {
  unsigned multiprocessors = 1, schedulers = 4, resident_blocks = 1;  // the last: on one multiprocessor
  double alu = 4, imad = 5, sfu = 15, fp64 = 48, shuffle = 22, divide32 = 66, divide64 = 420, square_root = 190;
  double shared = 19, l1 = 32, l2 = 188, dram = 434, barrier = 20;
  double shared_atomic_first = 8, shared_atomic_further = 2, global_atomic_first = 76, global_atomic_further = 1.3;
  double global_atomic_throughput = 3.5, l1_bytes_per_cycle = 64, dram_bytes_per_cycle = 200;
  int fp32_lanes = 64, int32_lanes = 64, fp64_lanes = 2, sfu_lanes = 16;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_l2;  // guest addresses [first, last) that the L2 holds at the start
};
[[nodiscard]] std::uint64_t run_clock(Machine& machine, const ClockFigures& figures);

}  // namespace warpbook::gpu::vm
