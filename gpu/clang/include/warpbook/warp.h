// What the threads of a warp tell one another: shuffles, votes, matches, reductions.
#pragma once
#pragma clang system_header

#include <warpbook/casts.h>

// Lanes are told apart in groups of `width`: the upper bits of a lane's number stay, and clamp is the group's last lane (0 for up).
#define WARPBOOK_SHUFFLE(NAME, MODE, CLAMP, LANE)                                                                             \
  WARPBOOK_DEVICE int NAME(unsigned int mask, int value, LANE lane, int width = 32) {                                         \
    return __nvvm_shfl_sync_##MODE##_i32(mask, value, lane, ((32 - width) << 8) | CLAMP);                                     \
  }                                                                                                                           \
  WARPBOOK_DEVICE unsigned int NAME(unsigned int mask, unsigned int value, LANE lane, int width = 32) {                       \
    return (unsigned int)NAME(mask, (int)value, lane, width);                                                                 \
  }                                                                                                                           \
  WARPBOOK_DEVICE float NAME(unsigned int mask, float value, LANE lane, int width = 32) {                                     \
    return __int_as_float(NAME(mask, __float_as_int(value), lane, width));                                                    \
  }                                                                                                                           \
  WARPBOOK_DEVICE long long NAME(unsigned int mask, long long value, LANE lane, int width = 32) {                             \
    const unsigned int low = NAME(mask, (unsigned int)value, lane, width);                                                    \
    const unsigned int high = NAME(mask, (unsigned int)(value >> 32), lane, width);                                           \
    return (long long)((unsigned long long)high << 32 | low);                                                                 \
  }                                                                                                                           \
  WARPBOOK_DEVICE unsigned long long NAME(unsigned int mask, unsigned long long value, LANE lane, int width = 32) {           \
    return (unsigned long long)NAME(mask, (long long)value, lane, width);                                                     \
  }                                                                                                                           \
  WARPBOOK_DEVICE long NAME(unsigned int mask, long value, LANE lane, int width = 32) {                                       \
    return (long)NAME(mask, (long long)value, lane, width);                                                                   \
  }                                                                                                                           \
  WARPBOOK_DEVICE unsigned long NAME(unsigned int mask, unsigned long value, LANE lane, int width = 32) {                     \
    return (unsigned long)NAME(mask, (long long)value, lane, width);                                                          \
  }                                                                                                                           \
  WARPBOOK_DEVICE double NAME(unsigned int mask, double value, LANE lane, int width = 32) {                                   \
    return __longlong_as_double(NAME(mask, __double_as_longlong(value), lane, width));                                        \
  }
WARPBOOK_SHUFFLE(__shfl_sync, idx, 0x1f, int)
WARPBOOK_SHUFFLE(__shfl_up_sync, up, 0, unsigned int)
WARPBOOK_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned int)
WARPBOOK_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)
#undef WARPBOOK_SHUFFLE

WARPBOOK_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
WARPBOOK_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
WARPBOOK_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
WARPBOOK_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
WARPBOOK_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask)::"memory");
  return mask;
}
#ifdef WARPBOOK_CC
// What CUDA before 9 called these, for all lanes that are active. Books still do; for GPUs since Volta nvcc no longer has them.
// The comment in the PTX lets cc say so (app/commands/cc_advice.h).
#define WARPBOOK_OLD(NAME) asm volatile("// old: " #NAME)
#define WARPBOOK_OLD_SHUFFLE(NAME, LANE)                               \
  template <class T>                                                   \
  WARPBOOK_DEVICE T NAME(T value, LANE lane, int width = 32) {         \
    WARPBOOK_OLD(NAME);                                                \
    return NAME##_sync(__activemask(), value, lane, width);            \
  }
WARPBOOK_OLD_SHUFFLE(__shfl, int)
WARPBOOK_OLD_SHUFFLE(__shfl_up, unsigned int)
WARPBOOK_OLD_SHUFFLE(__shfl_down, unsigned int)
WARPBOOK_OLD_SHUFFLE(__shfl_xor, int)
#undef WARPBOOK_OLD_SHUFFLE
#define WARPBOOK_OLD_VOTE(NAME, TYPE)                                  \
  WARPBOOK_DEVICE TYPE NAME(int predicate) {                           \
    WARPBOOK_OLD(NAME);                                                \
    return NAME##_sync(__activemask(), predicate);                     \
  }
WARPBOOK_OLD_VOTE(__all, int)
WARPBOOK_OLD_VOTE(__any, int)
WARPBOOK_OLD_VOTE(__ballot, unsigned int)
#undef WARPBOOK_OLD_VOTE
#undef WARPBOOK_OLD
#endif
WARPBOOK_DEVICE unsigned int __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// Which of the mask's lanes hold the same value; all: the mask and true, where all do, else 0 and false.
WARPBOOK_DEVICE unsigned int warpbook_match_any(unsigned int mask, unsigned int value) {
  return __nvvm_match_any_sync_i32(mask, value);
}
WARPBOOK_DEVICE unsigned int warpbook_match_any(unsigned int mask, unsigned long long value) {
  return __nvvm_match_any_sync_i64(mask, value);
}
WARPBOOK_DEVICE unsigned int warpbook_match_all(unsigned int mask, unsigned int value, int* all) {
  return __nvvm_match_all_sync_i32p(mask, value, all);
}
WARPBOOK_DEVICE unsigned int warpbook_match_all(unsigned int mask, unsigned long long value, int* all) {
  return __nvvm_match_all_sync_i64p(mask, value, all);
}
#define WARPBOOK_MATCH(TYPE, BITS)                                                                     \
  WARPBOOK_DEVICE unsigned int __match_any_sync(unsigned int mask, TYPE value) {                       \
    return warpbook_match_any(mask, __builtin_bit_cast(BITS, value));                                  \
  }                                                                                                    \
  WARPBOOK_DEVICE unsigned int __match_all_sync(unsigned int mask, TYPE value, int* all) {             \
    return warpbook_match_all(mask, __builtin_bit_cast(BITS, value), all);                             \
  }
WARPBOOK_MATCH(int, unsigned int)
WARPBOOK_MATCH(unsigned int, unsigned int)
WARPBOOK_MATCH(float, unsigned int)
WARPBOOK_MATCH(long, unsigned long long)
WARPBOOK_MATCH(unsigned long, unsigned long long)
WARPBOOK_MATCH(long long, unsigned long long)
WARPBOOK_MATCH(unsigned long long, unsigned long long)
WARPBOOK_MATCH(double, unsigned long long)
#undef WARPBOOK_MATCH
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WARPBOOK_REDUCE(NAME, OP, TYPE)                                                                           \
  WARPBOOK_DEVICE TYPE NAME(unsigned int mask, TYPE value) {                                                      \
    TYPE result;                                                                                                  \
    asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask) : "memory");              \
    return result;                                                                                                \
  }
WARPBOOK_REDUCE(__reduce_add_sync, "add.s32", int)
WARPBOOK_REDUCE(__reduce_add_sync, "add.u32", unsigned int)
WARPBOOK_REDUCE(__reduce_min_sync, "min.s32", int)
WARPBOOK_REDUCE(__reduce_min_sync, "min.u32", unsigned int)
WARPBOOK_REDUCE(__reduce_max_sync, "max.s32", int)
WARPBOOK_REDUCE(__reduce_max_sync, "max.u32", unsigned int)
WARPBOOK_REDUCE(__reduce_and_sync, "and.b32", unsigned int)
WARPBOOK_REDUCE(__reduce_or_sync, "or.b32", unsigned int)
WARPBOOK_REDUCE(__reduce_xor_sync, "xor.b32", unsigned int)
#undef WARPBOOK_REDUCE
#endif
