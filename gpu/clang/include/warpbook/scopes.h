// Orders and scopes of cuda::atomic, and the PTX instructions that they become.
//
// Sequentially consistent accesses are fence.sc and then the acquiring one, as in Lustig, Sahasrabuddhe, Giroux: A Formal Analysis
// of the NVIDIA PTX Memory Consistency Model (ASPLOS 2019).
#pragma once
#pragma clang system_header

#include <warpbook_cuda.h>

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
namespace std {
using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_consume;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;
}

/// Orders this thread's accesses before it against those behind it, for the threads of the scope.
WARPBOOK_DEVICE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed || scope == thread_scope_thread) return;
  const bool strict = order == memory_order_seq_cst;
  if (scope == thread_scope_block) {
    strict ? ({ asm volatile("fence.sc.cta;" ::: "memory"); }) : ({ asm volatile("fence.acq_rel.cta;" ::: "memory"); });
  } else if (scope == thread_scope_device) {
    strict ? ({ asm volatile("fence.sc.gpu;" ::: "memory"); }) : ({ asm volatile("fence.acq_rel.gpu;" ::: "memory"); });
  } else {
    strict ? ({ asm volatile("fence.sc.sys;" ::: "memory"); }) : ({ asm volatile("fence.acq_rel.sys;" ::: "memory"); });
  }
}
WARPBOOK_DEVICE void atomic_signal_fence(memory_order) { asm volatile("" ::: "memory"); }

}  // namespace cuda

namespace warpbook_atomics {

using cuda::memory_order;
using cuda::thread_scope;

template <unsigned long Bytes>
struct bits_of;
template <>
struct bits_of<1> {
  typedef unsigned char type;
};
template <>
struct bits_of<2> {
  typedef unsigned short type;
};
template <>
struct bits_of<4> {
  typedef unsigned int type;
};
template <>
struct bits_of<8> {
  typedef unsigned long long type;
};

// INSTRUCTION(ORDER, SCOPE) for an order and a scope that are known once everything is inlined.
#define WARPBOOK_IN_SCOPE(INSTRUCTION, ORDER)               \
  switch (scope) {                                          \
    case cuda::thread_scope_thread:                         \
    case cuda::thread_scope_block: INSTRUCTION(ORDER, ".cta"); break;  \
    case cuda::thread_scope_device: INSTRUCTION(ORDER, ".gpu"); break; \
    default: INSTRUCTION(ORDER, ".sys"); break;             \
  }
WARPBOOK_DEVICE void fence_before(memory_order order, thread_scope scope) {
  if (order == cuda::memory_order_seq_cst) cuda::atomic_thread_fence(order, scope);
}

#define WARPBOOK_LOAD_AND_STORE(TYPE, KIND, LETTER)                                                                          \
  WARPBOOK_DEVICE TYPE load(const TYPE* address, memory_order order, thread_scope scope) {                                   \
    TYPE value;                                                                                                              \
    fence_before(order, scope);                                                                                              \
    if (order == cuda::memory_order_relaxed) {                                                                               \
      WARPBOOK_IN_SCOPE(WARPBOOK_LOAD_##LETTER##KIND, ".relaxed")                                                            \
    } else {                                                                                                                 \
      WARPBOOK_IN_SCOPE(WARPBOOK_LOAD_##LETTER##KIND, ".acquire")                                                            \
    }                                                                                                                        \
    return value;                                                                                                            \
  }                                                                                                                          \
  WARPBOOK_DEVICE void store(TYPE* address, TYPE value, memory_order order, thread_scope scope) {                            \
    fence_before(order, scope);                                                                                              \
    if (order == cuda::memory_order_release) {                                                                               \
      WARPBOOK_IN_SCOPE(WARPBOOK_STORE_##LETTER##KIND, ".release")                                                           \
    } else {                                                                                                                 \
      WARPBOOK_IN_SCOPE(WARPBOOK_STORE_##LETTER##KIND, ".relaxed")                                                           \
    }                                                                                                                        \
  }
#define WARPBOOK_LOAD_AS(KIND, LETTER, ORDER, SCOPE) \
  asm volatile("ld" ORDER SCOPE "." KIND " %0, [%1];" : "=" LETTER(value) : "l"(address) : "memory")
#define WARPBOOK_STORE_AS(KIND, LETTER, ORDER, SCOPE) \
  asm volatile("st" ORDER SCOPE "." KIND " [%0], %1;" ::"l"(address), LETTER(value) : "memory")
#define WARPBOOK_LOAD_r32(ORDER, SCOPE) WARPBOOK_LOAD_AS("b32", "r", ORDER, SCOPE)
#define WARPBOOK_STORE_r32(ORDER, SCOPE) WARPBOOK_STORE_AS("b32", "r", ORDER, SCOPE)
#define WARPBOOK_LOAD_l64(ORDER, SCOPE) WARPBOOK_LOAD_AS("b64", "l", ORDER, SCOPE)
#define WARPBOOK_STORE_l64(ORDER, SCOPE) WARPBOOK_STORE_AS("b64", "l", ORDER, SCOPE)
#define WARPBOOK_LOAD_h16(ORDER, SCOPE) WARPBOOK_LOAD_AS("b16", "h", ORDER, SCOPE)
#define WARPBOOK_STORE_h16(ORDER, SCOPE) WARPBOOK_STORE_AS("b16", "h", ORDER, SCOPE)
WARPBOOK_LOAD_AND_STORE(unsigned int, 32, r)
WARPBOOK_LOAD_AND_STORE(unsigned long long, 64, l)
WARPBOOK_LOAD_AND_STORE(unsigned short, 16, h)
// Bytes travel in registers of 32 bits.
#define WARPBOOK_LOAD_r8(ORDER, SCOPE) \
  asm volatile("ld" ORDER SCOPE ".u8 %0, [%1];" : "=r"(wide) : "l"(address) : "memory"); value = (unsigned char)wide
#define WARPBOOK_STORE_r8(ORDER, SCOPE) \
  asm volatile("st" ORDER SCOPE ".u8 [%0], %1;" ::"l"(address), "r"((unsigned int)value) : "memory")
WARPBOOK_DEVICE unsigned char load(const unsigned char* address, memory_order order, thread_scope scope) {
  unsigned char value;
  unsigned int wide;
  fence_before(order, scope);
  if (order == cuda::memory_order_relaxed) {
    WARPBOOK_IN_SCOPE(WARPBOOK_LOAD_r8, ".relaxed")
  } else {
    WARPBOOK_IN_SCOPE(WARPBOOK_LOAD_r8, ".acquire")
  }
  return value;
}
WARPBOOK_DEVICE void store(unsigned char* address, unsigned char value, memory_order order, thread_scope scope) {
  fence_before(order, scope);
  if (order == cuda::memory_order_release) {
    WARPBOOK_IN_SCOPE(WARPBOOK_STORE_r8, ".release")
  } else {
    WARPBOOK_IN_SCOPE(WARPBOOK_STORE_r8, ".relaxed")
  }
}

#define WARPBOOK_IN_ORDER(INSTRUCTION)                                             \
  fence_before(order, scope);                                                      \
  switch (order) {                                                                 \
    case cuda::memory_order_relaxed: WARPBOOK_IN_SCOPE(INSTRUCTION, ".relaxed") break; \
    case cuda::memory_order_release: WARPBOOK_IN_SCOPE(INSTRUCTION, ".release") break; \
    case cuda::memory_order_acq_rel: WARPBOOK_IN_SCOPE(INSTRUCTION, ".acq_rel") break; \
    default: WARPBOOK_IN_SCOPE(INSTRUCTION, ".acquire") break;                     \
  }
#define WARPBOOK_UPDATE(NAME, OP, TYPE, LETTER)                                                                       \
  WARPBOOK_DEVICE TYPE NAME(TYPE* address, TYPE value, memory_order order, thread_scope scope) {                      \
    TYPE old;                                                                                                         \
    WARPBOOK_IN_ORDER(WARPBOOK_UPDATE_##OP)                                                                           \
    return old;                                                                                                       \
  }
#define WARPBOOK_UPDATE_AS(OP, LETTER, ORDER, SCOPE) \
  asm volatile("atom" ORDER SCOPE "." OP " %0, [%1], %2;" : "=" LETTER(old) : "l"(address), LETTER(value) : "memory")
#define WARPBOOK_UPDATE_exch_b32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("exch.b32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_exch_b64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("exch.b64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_add_u32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("add.u32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_add_s32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("add.s32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_add_u64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("add.u64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_add_f32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("add.f32", "f", ORDER, SCOPE)
#define WARPBOOK_UPDATE_add_f64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("add.f64", "d", ORDER, SCOPE)
#define WARPBOOK_UPDATE_min_u32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("min.u32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_min_s32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("min.s32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_min_u64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("min.u64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_min_s64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("min.s64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_max_u32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("max.u32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_max_s32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("max.s32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_max_u64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("max.u64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_max_s64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("max.s64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_and_b32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("and.b32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_and_b64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("and.b64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_or_b32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("or.b32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_or_b64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("or.b64", "l", ORDER, SCOPE)
#define WARPBOOK_UPDATE_xor_b32(ORDER, SCOPE) WARPBOOK_UPDATE_AS("xor.b32", "r", ORDER, SCOPE)
#define WARPBOOK_UPDATE_xor_b64(ORDER, SCOPE) WARPBOOK_UPDATE_AS("xor.b64", "l", ORDER, SCOPE)
WARPBOOK_UPDATE(exchange, exch_b32, unsigned int, "r")
WARPBOOK_UPDATE(exchange, exch_b64, unsigned long long, "l")
WARPBOOK_UPDATE(add, add_s32, int, "r")
WARPBOOK_UPDATE(add, add_u32, unsigned int, "r")
WARPBOOK_UPDATE(add, add_u64, unsigned long long, "l")
WARPBOOK_UPDATE(add, add_f32, float, "f")
WARPBOOK_UPDATE(add, add_f64, double, "d")
WARPBOOK_UPDATE(smallest, min_s32, int, "r")
WARPBOOK_UPDATE(smallest, min_u32, unsigned int, "r")
WARPBOOK_UPDATE(smallest, min_s64, long long, "l")
WARPBOOK_UPDATE(smallest, min_u64, unsigned long long, "l")
WARPBOOK_UPDATE(largest, max_s32, int, "r")
WARPBOOK_UPDATE(largest, max_u32, unsigned int, "r")
WARPBOOK_UPDATE(largest, max_s64, long long, "l")
WARPBOOK_UPDATE(largest, max_u64, unsigned long long, "l")
WARPBOOK_UPDATE(bits_and, and_b32, unsigned int, "r")
WARPBOOK_UPDATE(bits_and, and_b64, unsigned long long, "l")
WARPBOOK_UPDATE(bits_or, or_b32, unsigned int, "r")
WARPBOOK_UPDATE(bits_or, or_b64, unsigned long long, "l")
WARPBOOK_UPDATE(bits_xor, xor_b32, unsigned int, "r")
WARPBOOK_UPDATE(bits_xor, xor_b64, unsigned long long, "l")

#define WARPBOOK_CAS_AS(KIND, LETTER, ORDER, SCOPE)                           \
  asm volatile("atom" ORDER SCOPE ".cas." KIND " %0, [%1], %2, %3;"           \
               : "=" LETTER(old)                                              \
               : "l"(address), LETTER(compare), LETTER(value)                 \
               : "memory")
#define WARPBOOK_CAS_b16(ORDER, SCOPE) WARPBOOK_CAS_AS("b16", "h", ORDER, SCOPE)
#define WARPBOOK_CAS_b32(ORDER, SCOPE) WARPBOOK_CAS_AS("b32", "r", ORDER, SCOPE)
#define WARPBOOK_CAS_b64(ORDER, SCOPE) WARPBOOK_CAS_AS("b64", "l", ORDER, SCOPE)
#define WARPBOOK_CAS(KIND, TYPE)                                                                                       \
  WARPBOOK_DEVICE TYPE compare_and_exchange(TYPE* address, TYPE compare, TYPE value, memory_order order, thread_scope scope) { \
    TYPE old;                                                                                                          \
    WARPBOOK_IN_ORDER(WARPBOOK_CAS_##KIND)                                                                             \
    return old;                                                                                                        \
  }
WARPBOOK_CAS(b16, unsigned short)
WARPBOOK_CAS(b32, unsigned int)
WARPBOOK_CAS(b64, unsigned long long)

}  // namespace warpbook_atomics
