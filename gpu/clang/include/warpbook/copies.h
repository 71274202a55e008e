// Copies from global to shared memory beside the program (cp.async), from compute capability 8.0 on; before, ordinary ones.
#pragma once
#pragma clang system_header

#include <warpbook_cuda.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WARPBOOK_COPIES_ASIDE 1
#else
#define WARPBOOK_COPIES_ASIDE 0
#endif

namespace warpbook_copies {

/// 4, 8 or 16 bytes, of which the last `zeros` are zeros instead.
template <unsigned int Bytes>
WARPBOOK_DEVICE void copy_piece(void* to, const void* from, unsigned int zeros = 0) {
#if WARPBOOK_COPIES_ASIDE
  const unsigned int there = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(from), "r"(16 - zeros) : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(there), "l"(from), "r"(8 - zeros) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(there), "l"(from), "r"(4 - zeros) : "memory");
  }
#else
  for (unsigned int i = 0; i < Bytes; ++i) ((char*)to)[i] = i < Bytes - zeros ? ((const char*)from)[i] : 0;
#endif
}
template <unsigned int Bytes>
WARPBOOK_DEVICE void copy_whole_piece(void* to, const void* from) {
#if WARPBOOK_COPIES_ASIDE
  const unsigned int there = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(from) : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(there), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(there), "l"(from) : "memory");
  }
#else
  __builtin_memcpy(__builtin_assume_aligned(to, Bytes), __builtin_assume_aligned(from, Bytes), Bytes);
#endif
}

WARPBOOK_DEVICE void commit() {
#if WARPBOOK_COPIES_ASIDE
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <unsigned int Prior>
WARPBOOK_DEVICE void wait_but() {
#if WARPBOOK_COPIES_ASIDE
  asm volatile("cp.async.wait_group %0;" ::"n"(Prior) : "memory");
#endif
}
/// Until all groups but the last `prior` have arrived; of more than eight the instruction is that of eight, which waits longer.
WARPBOOK_DEVICE void wait_but(unsigned long prior) {
  switch (prior) {
    case 0: return wait_but<0>();
    case 1: return wait_but<1>();
    case 2: return wait_but<2>();
    case 3: return wait_but<3>();
    case 4: return wait_but<4>();
    case 5: return wait_but<5>();
    case 6: return wait_but<6>();
    case 7: return wait_but<7>();
    default: return wait_but<8>();
  }
}
WARPBOOK_DEVICE void wait_all() {
#if WARPBOOK_COPIES_ASIDE
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The pieces of `Bytes` of a copy, shared out among the threads of a group.
template <unsigned int Bytes>
WARPBOOK_DEVICE void copy_pieces(unsigned int rank, unsigned int threads, char* to, const char* from, size_t bytes) {
  for (size_t at = (size_t)rank * Bytes; at + Bytes <= bytes; at += (size_t)threads * Bytes)
    copy_whole_piece<Bytes>(to + at, from + at);
  for (size_t at = bytes / Bytes * Bytes + rank; at < bytes; at += threads) to[at] = from[at];
}
/// In the largest pieces that the addresses allow. What is not from global to shared memory is copied at once.
WARPBOOK_DEVICE void copy_shared_out(unsigned int rank, unsigned int threads, void* to, const void* from, size_t bytes) {
  char* const target = (char*)to;
  const char* const source = (const char*)from;
  const size_t both = (size_t)to | (size_t)from;
  if (!__isShared(to) || !__isGlobal(from) || both % 4 != 0) {
    for (size_t at = rank; at < bytes; at += threads) target[at] = source[at];
  } else if (both % 16 == 0) {
    copy_pieces<16>(rank, threads, target, source, bytes);
  } else if (both % 8 == 0) {
    copy_pieces<8>(rank, threads, target, source, bytes);
  } else {
    copy_pieces<4>(rank, threads, target, source, bytes);
  }
}

}  // namespace warpbook_copies
