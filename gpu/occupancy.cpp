#include "gpu/occupancy.h"

#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace warpbook::gpu {
namespace {

constexpr int warp_size = 32;

constexpr std::array<std::string_view, 4> limiter_names{"threads", "registers", "shared memory", "blocks"};
static_assert(static_cast<std::size_t>(Limiter::blocks) + 1 == limiter_names.size());

std::optional<std::int64_t> attribute(const DeviceInfo& device, std::string_view name) {
  for (const Attribute& a : device.attributes)
    if (a.name == name) return a.value;
  return std::nullopt;
}

cudaOccDeviceProp properties_of(const DeviceInfo& device) {
  cudaOccDeviceProp p;
  p.computeMajor = device.compute_capability / 10;
  p.computeMinor = device.compute_capability % 10;
  p.maxThreadsPerBlock = device.max_threads_per_block;
  p.maxThreadsPerMultiprocessor = device.warps_per_multiprocessor * warp_size;
  p.regsPerMultiprocessor = device.registers_per_multiprocessor;
  p.regsPerBlock = static_cast<int>(attribute(device, "regsPerBlock").value_or(device.registers_per_multiprocessor));
  p.warpSize = warp_size;
  p.sharedMemPerBlock = device.shared_per_block;
  p.sharedMemPerBlockOptin = device.shared_per_block_optin;
  p.sharedMemPerMultiprocessor = device.shared_per_multiprocessor;
  // From compute capability 8.0 on, the driver keeps 1 KiB of every block's share (Ampere tuning guide).
  p.reservedSharedMemPerBlock =
      static_cast<std::size_t>(attribute(device, "reservedSharedMemPerBlock").value_or(device.compute_capability >= 80 ? 1024 : 0));
  p.numSms = device.multiprocessors;
  return p;
}

cudaOccFuncAttributes attributes_of(const OccupancyRequest& request) {
  cudaOccFuncAttributes a;
  a.maxThreadsPerBlock = INT_MAX;
  a.numRegs = request.registers_per_thread;
  a.sharedSizeBytes = request.static_shared_bytes;
  a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  a.maxDynamicSharedSizeBytes = request.dynamic_shared_bytes;
  a.numBlockBarriers = 1;
  return a;
}

Error error_of(cudaOccError error, const DeviceInfo& device, const OccupancyRequest& request) {
  if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE)
    return {"unknown_device",
            fmt::format("The occupancy calculator does not know compute capability {}.{} of {}. A newer CUDA Toolkit may.",
                        device.compute_capability / 10, device.compute_capability % 10, device.name)};
  return {
      "invalid",
      fmt::format("Occupancy needs at least one thread a block and no negative registers; asked were {} threads and {} registers.",
                  request.threads_per_block, request.registers_per_thread)};
}

}  // namespace

std::string_view name_of(Limiter limiter) { return limiter_names[static_cast<std::size_t>(limiter)]; }

Result<Occupancy> occupancy(const DeviceInfo& device, const OccupancyRequest& request) {
  const cudaOccDeviceProp properties = properties_of(device);
  const cudaOccFuncAttributes attributes = attributes_of(request);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  if (const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                                         request.threads_per_block, request.dynamic_shared_bytes);
      error != CUDA_OCC_SUCCESS)
    return failure(error_of(error, device, request));

  const int warps_per_block = (request.threads_per_block + warp_size - 1) / warp_size;
  Occupancy o;
  o.blocks = result.activeBlocksPerMultiprocessor;
  o.warps = o.blocks * warps_per_block;
  o.max_warps = device.warps_per_multiprocessor;
  o.fraction = o.max_warps > 0 ? static_cast<double>(o.warps) / o.max_warps : 0;
  o.by_threads = result.blockLimitWarps;
  o.by_registers = result.blockLimitRegs;
  o.by_shared_memory = result.blockLimitSharedMem;
  o.by_blocks = result.blockLimitBlocks;
  o.allocated_shared_bytes = result.allocatedSharedMemPerBlock;
  o.allocated_registers = result.allocatedRegistersPerBlock;
  o.lanes_used = static_cast<double>(request.threads_per_block) / (warps_per_block * warp_size);
  // The calculator's bit field names every resource that allows no more than these blocks; the first in our order is said.
  const std::array<unsigned, 4> factors{OCC_LIMIT_WARPS, OCC_LIMIT_REGISTERS, OCC_LIMIT_SHARED_MEMORY, OCC_LIMIT_BLOCKS};
  for (std::size_t i = 0; i < factors.size(); ++i)
    if ((result.limitingFactors & factors[i]) != 0) {
      o.limiter = static_cast<Limiter>(i);
      break;
    }
  return o;
}

Result<SuggestedLaunch> suggest_launch(const DeviceInfo& device, const OccupancyRequest& request) {
  const cudaOccDeviceProp properties = properties_of(device);
  const cudaOccFuncAttributes attributes = attributes_of(request);
  const cudaOccDeviceState state;
  SuggestedLaunch launch;
  if (const cudaOccError error = cudaOccMaxPotentialOccupancyBlockSize(&launch.blocks, &launch.threads_per_block, &properties,
                                                                       &attributes, &state, request.dynamic_shared_bytes);
      error != CUDA_OCC_SUCCESS)
    return failure(error_of(error, device, request));
  return launch;
}

}  // namespace warpbook::gpu
