// Occupancy: how many blocks of a kernel fit on one multiprocessor, and what stops more from fitting.
//
//     auto o = occupancy(device.info(), {.threads_per_block = 256, .registers_per_thread = 40});
//     if (o) say("{} of {} warps, limited by {}", o->warps, o->max_warps, name_of(o->limiter));
//
// The limits of a device are its own (DeviceInfo); what else depends on the compute capability stands in one table in the .cpp:
// how many blocks, from the CUDA C++ Programming Guide's "Technical Specifications per Compute Capability", and in which pieces
// registers and shared memory are handed out, from the "GPU data" of NVIDIA's occupancy calculator (CUDA_Occupancy_Calculator.xls,
// today in Nsight Compute). The compute capabilities 5.0 to 12.1 that the guides of CUDA 12 and 13 describe are known.
// occupancy_test compares every figure with the toolkit's cuda_occupancy.h where that is installed.
//
// Errors: "invalid" where the figures make no sense, "unknown_device" for a compute capability that is not in the table. A block
// that cannot run at all is no error: blocks is 0, and the limiter says why.
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
  std::size_t static_shared_bytes = 0;   // a block; Kernel::shared_bytes
  std::size_t dynamic_shared_bytes = 0;  // a block; the launch's. Above 48 KiB the opt-in is taken as given
};

/// What a multiprocessor runs out of first. In the order in which ties are named.
enum class Limiter : std::uint8_t { threads, registers, shared_memory, blocks };
[[nodiscard]] std::string_view name_of(Limiter limiter);  // "threads", "registers", "shared memory", "blocks"

struct Occupancy {
  int blocks = 0;       // resident on one multiprocessor
  int warps = 0;        // … and their warps
  int max_warps = 0;    // what the multiprocessor could hold
  double fraction = 0;  // warps / max_warps: 0 … 1
  Limiter limiter = Limiter::threads;
  // How many blocks each resource alone would allow; INT_MAX where the kernel uses none of it.
  int by_threads = 0, by_registers = 0, by_shared_memory = 0, by_blocks = 0;
  std::size_t allocated_shared_bytes = 0;  // a block, as hardware hands it out: rounded up, with the driver's share
  int allocated_registers = 0;             // a block, likewise
  double lanes_used = 1;                   // threads / (warps of a block × 32): below 1 where the last warp is partly empty
};

[[nodiscard]] Result<Occupancy> occupancy(const DeviceInfo& device, const OccupancyRequest& request);

/// The block size with the highest occupancy, and the fewest blocks that fill the device with it.
struct SuggestedLaunch {
  int threads_per_block = 0, blocks = 0;
};
[[nodiscard]] Result<SuggestedLaunch> suggest_launch(const DeviceInfo& device, const OccupancyRequest& request);

}  // namespace warpbook::gpu
