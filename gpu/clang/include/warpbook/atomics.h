// atomicAdd and its kin: for the device, for one block (_block) and for the whole system (_system).
#pragma once
#pragma clang system_header

#include <warpbook/casts.h>

// FUNCTION of TYPE by clang's builtin for the type that its last letters say, which lets it find out the memory that an address
// means.
#define WARPBOOK_ATOMIC(FUNCTION, TYPE, OPERATION, LETTERS, AS)                                                       \
  WARPBOOK_DEVICE TYPE FUNCTION(TYPE* address, TYPE value) {                                                          \
    return (TYPE)__nvvm_atom_##OPERATION##_gen_##LETTERS((AS*)address, (AS)value);                                    \
  }                                                                                                                   \
  WARPBOOK_DEVICE TYPE FUNCTION##_block(TYPE* address, TYPE value) {                                                  \
    return (TYPE)__nvvm_atom_cta_##OPERATION##_gen_##LETTERS((AS*)address, (AS)value);                                \
  }                                                                                                                   \
  WARPBOOK_DEVICE TYPE FUNCTION##_system(TYPE* address, TYPE value) {                                                 \
    return (TYPE)__nvvm_atom_sys_##OPERATION##_gen_##LETTERS((AS*)address, (AS)value);                                \
  }

WARPBOOK_ATOMIC(atomicAdd, int, add, i, int)
WARPBOOK_ATOMIC(atomicAdd, unsigned int, add, i, int)
WARPBOOK_ATOMIC(atomicAdd, unsigned long long, add, ll, long long)
WARPBOOK_ATOMIC(atomicAdd, float, add, f, float)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
WARPBOOK_ATOMIC(atomicAdd, double, add, d, double)
#endif

WARPBOOK_ATOMIC(atomicExch, int, xchg, i, int)
WARPBOOK_ATOMIC(atomicExch, unsigned int, xchg, i, int)
WARPBOOK_ATOMIC(atomicExch, unsigned long long, xchg, ll, long long)

WARPBOOK_ATOMIC(atomicMin, int, min, i, int)
WARPBOOK_ATOMIC(atomicMin, unsigned int, min, ui, unsigned int)
WARPBOOK_ATOMIC(atomicMin, long long, min, ll, long long)
WARPBOOK_ATOMIC(atomicMin, unsigned long long, min, ull, unsigned long long)
WARPBOOK_ATOMIC(atomicMax, int, max, i, int)
WARPBOOK_ATOMIC(atomicMax, unsigned int, max, ui, unsigned int)
WARPBOOK_ATOMIC(atomicMax, long long, max, ll, long long)
WARPBOOK_ATOMIC(atomicMax, unsigned long long, max, ull, unsigned long long)

WARPBOOK_ATOMIC(atomicInc, unsigned int, inc, ui, unsigned int)
WARPBOOK_ATOMIC(atomicDec, unsigned int, dec, ui, unsigned int)

WARPBOOK_ATOMIC(atomicAnd, int, and, i, int)
WARPBOOK_ATOMIC(atomicAnd, unsigned int, and, i, int)
WARPBOOK_ATOMIC(atomicAnd, unsigned long long, and, ll, long long)
WARPBOOK_ATOMIC(atomicOr, int, or, i, int)
WARPBOOK_ATOMIC(atomicOr, unsigned int, or, i, int)
WARPBOOK_ATOMIC(atomicOr, unsigned long long, or, ll, long long)
WARPBOOK_ATOMIC(atomicXor, int, xor, i, int)
WARPBOOK_ATOMIC(atomicXor, unsigned int, xor, i, int)
WARPBOOK_ATOMIC(atomicXor, unsigned long long, xor, ll, long long)
#undef WARPBOOK_ATOMIC

// atomicSub adds the negated value, atomicExch of float exchanges its bits.
#define WARPBOOK_ATOMIC(SUFFIX)                                                                                               \
  WARPBOOK_DEVICE int atomicSub##SUFFIX(int* address, int value) { return atomicAdd##SUFFIX(address, (int)(0u - value)); }    \
  WARPBOOK_DEVICE unsigned int atomicSub##SUFFIX(unsigned int* address, unsigned int value) {                                 \
    return atomicAdd##SUFFIX(address, 0u - value);                                                                            \
  }                                                                                                                           \
  WARPBOOK_DEVICE float atomicExch##SUFFIX(float* address, float value) {                                                     \
    return __int_as_float(atomicExch##SUFFIX((int*)address, __float_as_int(value)));                                          \
  }
WARPBOOK_ATOMIC()
WARPBOOK_ATOMIC(_block)
WARPBOOK_ATOMIC(_system)
#undef WARPBOOK_ATOMIC

#define WARPBOOK_ATOMIC(SUFFIX, INFIX)                                                                                        \
  WARPBOOK_DEVICE int atomicCAS##SUFFIX(int* address, int compare, int value) {                                               \
    return __nvvm_atom_##INFIX##cas_gen_i(address, compare, value);                                                           \
  }                                                                                                                           \
  WARPBOOK_DEVICE unsigned int atomicCAS##SUFFIX(unsigned int* address, unsigned int compare, unsigned int value) {           \
    return __nvvm_atom_##INFIX##cas_gen_i((int*)address, compare, value);                                                     \
  }                                                                                                                           \
  WARPBOOK_DEVICE unsigned long long atomicCAS##SUFFIX(unsigned long long* address, unsigned long long compare,               \
                                                       unsigned long long value) {                                            \
    return __nvvm_atom_##INFIX##cas_gen_ll((long long*)address, compare, value);                                              \
  }
WARPBOOK_ATOMIC(, )
WARPBOOK_ATOMIC(_block, cta_)
WARPBOOK_ATOMIC(_system, sys_)
#undef WARPBOOK_ATOMIC

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define WARPBOOK_ATOMIC(SUFFIX, SCOPE)                                                                                        \
  WARPBOOK_DEVICE unsigned short atomicCAS##SUFFIX(unsigned short* address, unsigned short compare, unsigned short value) {   \
    unsigned short old;                                                                                                       \
    asm volatile("atom" SCOPE ".cas.b16 %0, [%1], %2, %3;"                                                                    \
                 : "=h"(old)                                                                                                  \
                 : "l"(address), "h"(compare), "h"(value)                                                                     \
                 : "memory");                                                                                                 \
    return old;                                                                                                               \
  }
WARPBOOK_ATOMIC(, "")
WARPBOOK_ATOMIC(_block, ".cta")
WARPBOOK_ATOMIC(_system, ".sys")
#undef WARPBOOK_ATOMIC
#endif
