// Occupancy: how many blocks of a kernel fit on one multiprocessor, and which resource is the limit.
//
//     auto o = occupancy(device.info(), {.threads_per_block = 256, .registers_per_thread = 40});
//     if (o) say("{} of {} warps, limited by {}", o->warps, o->max_warps, name_of(o->limiter));
//
// The device's limits come from DeviceInfo. What depends only on the compute capability is in one table in the .cpp file: the
// number of blocks, from the CUDA C++ Programming Guide's "Technical Specifications per Compute Capability", and the allocation
// granularity of registers and shared memory, from the "GPU data" of NVIDIA's occupancy calculator (CUDA_Occupancy_Calculator.xls,
// now in Nsight Compute). It covers compute capabilities 5.0 to 12.1. occupancy_test compares every figure with the toolkit's
// cuda_occupancy.h if that is installed.
//
// Errors: "invalid" for impossible figures, "unknown_device" for a compute capability that is not in the table. A block that cannot
// run at all is not an error: then `blocks` is 0 and `limiter` names the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::gpu {

struct OccupancyRequest {
  int threads_per_block = 128;
  int registers_per_thread = 32;         // Kernel::registers
  std::size_t static_shared_bytes = 0;   // of a block; Kernel::shared_bytes
  std::size_t dynamic_shared_bytes = 0;  // of a block. Above 48 KiB, the kernel is assumed to have opted in
};

/// The resource that runs out first. If several do, the first in this order is named.
enum class Limiter : std::uint8_t { threads, registers, shared_memory, blocks };
[[nodiscard]] std::string_view name_of(Limiter limiter);  // "threads", "registers", "shared memory", "blocks"

struct Occupancy {
  int blocks = 0;       // resident on one multiprocessor
  int warps = 0;        // … of these blocks
  int max_warps = 0;    // most that the multiprocessor can hold
  double fraction = 0;  // warps / max_warps: 0 … 1
  Limiter limiter = Limiter::threads;
  // How many blocks each resource alone would permit. INT_MAX if the kernel uses none of it.
  int by_threads = 0, by_registers = 0, by_shared_memory = 0, by_blocks = 0;
  std::size_t allocated_shared_bytes = 0;  // of a block: rounded up to the allocation granularity, with the driver's reserved bytes
  int allocated_registers = 0;             // of a block, likewise
  double lanes_used = 1;                   // threads / (warps of a block × 32): below 1 if the last warp is partly empty
};

[[nodiscard]] Result<Occupancy> occupancy(const DeviceInfo& device, const OccupancyRequest& request);

/// The block size with the highest occupancy, and the smallest grid that then fills the device.
struct SuggestedLaunch {
  int threads_per_block = 0, blocks = 0;
};
[[nodiscard]] Result<SuggestedLaunch> suggest_launch(const DeviceInfo& device, const OccupancyRequest& request);

}  // namespace warpbook::gpu
