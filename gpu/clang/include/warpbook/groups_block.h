// The block and the grid as groups.
#pragma once
#pragma clang system_header

#include <warpbook/groups_base.h>

namespace cooperative_groups {

class thread_block : public thread_group {
 public:
  WARPBOOK_DEVICE thread_block() : thread_group(0, warpbook::threads_of_block()) {}
  static WARPBOOK_DEVICE void sync() { __syncthreads(); }
  static WARPBOOK_DEVICE unsigned int thread_rank() { return warpbook::thread_in_block(); }
  static WARPBOOK_DEVICE unsigned int num_threads() { return warpbook::threads_of_block(); }
  static WARPBOOK_DEVICE unsigned int size() { return warpbook::threads_of_block(); }
  static WARPBOOK_DEVICE dim3 group_index() { return blockIdx; }
  static WARPBOOK_DEVICE dim3 thread_index() { return threadIdx; }
  static WARPBOOK_DEVICE dim3 group_dim() { return blockDim; }
  static WARPBOOK_DEVICE dim3 dim_threads() { return blockDim; }

  // Arriving asks for nothing yet: the threads meet where they wait.
  struct arrival_token {};
  static WARPBOOK_DEVICE arrival_token barrier_arrive() { return {}; }
  static WARPBOOK_DEVICE void barrier_wait(arrival_token&&) { __syncthreads(); }
};

/// Room in shared memory through which tiles of more than 32 threads exchange values; at most Threads in the block.
template <unsigned int Threads = 1024>
struct block_tile_memory {
  __attribute__((aligned(16))) unsigned char warpbook_bytes[(Threads + 31) / 32 * 16];
};

WARPBOOK_DEVICE thread_block this_thread_block() { return {}; }
template <unsigned int Threads>
WARPBOOK_DEVICE thread_block this_thread_block(block_tile_memory<Threads>&) {
  return {};
}

/// All threads of a cooperative launch.
class grid_group {
 public:
  /// Was the kernel launched cooperatively?
  WARPBOOK_DEVICE bool is_valid() const { return workspace() != nullptr; }
  /// Blocks add 1 to a counter of the launch, the first one what is missing to 2^31: its top bit turns when all have come.
  WARPBOOK_DEVICE void sync() const {
    unsigned int* counter = workspace();
    if (!counter) __trap();
    __syncthreads();
    if (warpbook::thread_in_block() == 0) {
      const bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
      const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
      const unsigned int share = first ? 0x80000000u - (blocks - 1) : 1;
      __threadfence();
      unsigned int before, now;
      asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter + 1), "r"(share) : "memory");
      do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(counter + 1) : "memory");
      } while (((before ^ now) & 0x80000000u) == 0);
    }
    __syncthreads();
  }
  WARPBOOK_DEVICE unsigned long long thread_rank() const { return block_rank() * warpbook::threads_of_block() + warpbook::thread_in_block(); }
  WARPBOOK_DEVICE unsigned long long num_threads() const { return num_blocks() * warpbook::threads_of_block(); }
  WARPBOOK_DEVICE unsigned long long size() const { return num_threads(); }
  WARPBOOK_DEVICE unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  WARPBOOK_DEVICE unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static WARPBOOK_DEVICE dim3 dim_blocks() { return gridDim; }
  static WARPBOOK_DEVICE dim3 group_dim() { return gridDim; }
  static WARPBOOK_DEVICE dim3 block_index() { return blockIdx; }

 private:
  static WARPBOOK_DEVICE unsigned int* workspace() {
    unsigned int high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned int*)((unsigned long long)high << 32 | low);
  }
};
WARPBOOK_DEVICE grid_group this_grid() { return {}; }

}  // namespace cooperative_groups
