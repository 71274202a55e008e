// The clock schedule of a launch: a model of time on the device's multiprocessors. One host thread, seeded and reproducible.
// docs/clock-model.md says what is modelled and how far to trust it.
//
//     ClockResult result = run_clock(machine, figures);
//     if (result.next_block < blocks) run_fast(machine, workers, resident_blocks, result.next_block);  // the model has seen enough
//     scale_to_launch(result, figures, machine.warp_instructions);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/clock_report.h"
#include "gpu/virtual/vm/exec/block.h"

namespace warpbook::gpu::vm {

/// What the clock needs to know of a device and of the launch. Cycles of the multiprocessor's clock, bytes; see profiles.h for
/// meanings and sources.
struct ClockFigures {
  unsigned multiprocessors = 1, schedulers = 4, warps = 32;
  unsigned resident_blocks = 1;  // on one multiprocessor, of this launch
  double clock_mhz = 1000;
  double alu = 4, imad = 5, sfu = 15, fp64 = 48, shuffle = 22, divide32 = 66, divide64 = 420, square_root = 190;
  double shared = 19, l1 = 32, l2 = 188, dram = 434, barrier = 20, block_start = 200, dispatch = 1.2;
  double shared_further = 2, pass_cycles = 1, shared_atomic_first = 8, shared_atomic_further = 2, global_atomic_further = 1.3;
  double global_atomic_throughput = 3.5, l1_bytes_per_cycle = 64, l2_bytes_per_cycle = 800, dram_bytes_per_cycle = 200;
  int fp32_lanes = 64, int32_lanes = 64, fp64_lanes = 2, sfu_lanes = 16, load_store_lanes = 16;
  bool l1_caches_global = true;
  std::size_t l1_bytes = 32768, l2_bytes = 4194304;  // the first: a multiprocessor's, what shared memory leaves of it
  unsigned dram_channels = 16;
  /// Where an allocation lies for caches and channels: its guest addresses [first, last) stand from `at` on. By `first`. What is in
  /// none lies at its guest address.
  struct Placed {
    std::uint64_t first = 0, last = 0, at = 0;
    bool in_l2 = false;  // when the launch begins
  };
  std::vector<Placed> placed;
  bool writes_back = false;  // the launch's buffers do not fit into the L2: what is stored goes on to memory
  bool timeline = false;
  std::uint64_t sample_after = 0;  // warp-instructions, then only as many blocks as the model needs; 0: all blocks
};

/// What the warps that stood at an instruction did.
struct SiteCycles {
  Site site;
  WarpCycles cycles{};
};

struct ClockResult {
  ClockReport report;
  std::vector<SiteCycles> sites;
  std::uint64_t next_block = 0;       // blocks from here on were left to run_fast
  std::uint64_t instructions = 0;     // PTX warp-instructions of the blocks that ran
  double cycles_per_instruction = 0;  // of the whole device, while it was full
  unsigned working = 0;               // multiprocessors that had a block
};
[[nodiscard]] ClockResult run_clock(Machine& machine, const ClockFigures& figures);

/// Carries what was seen of the first blocks over to the whole launch, of `instructions` PTX warp-instructions, and fills in what
/// follows from the sums. Wanted of every launch, sampled or not.
void scale_to_launch(ClockResult& result, const ClockFigures& figures, std::uint64_t instructions);

}  // namespace warpbook::gpu::vm
