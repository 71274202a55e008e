// Barriers of a block and of a warp, fences, clocks, traps.
#pragma once
#pragma clang system_header

// __syncthreads() itself is built into clang.
WARPBOOK_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
WARPBOOK_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
WARPBOOK_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
WARPBOOK_DEVICE void __barrier_sync(unsigned int id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
WARPBOOK_DEVICE void __barrier_sync_count(unsigned int id, unsigned int count) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
WARPBOOK_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

WARPBOOK_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WARPBOOK_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WARPBOOK_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

WARPBOOK_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WARPBOOK_DEVICE unsigned long long __globaltimer() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}
WARPBOOK_DEVICE void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory"); }

WARPBOOK_DEVICE void __trap() { asm volatile("trap;" ::: "memory"); }
WARPBOOK_DEVICE void __brkpt() { asm volatile("brkpt;" ::: "memory"); }
WARPBOOK_DEVICE void __prof_trigger(int) {}
