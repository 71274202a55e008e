// Loads and stores with a stated use of the caches, and which memory an address means.
#pragma once
#pragma clang system_header

#include <warpbook/vector_types.h>

// Memory that nobody writes as long as the kernel runs.
#define WARPBOOK_LDG(TYPE, AS, LETTERS) \
  WARPBOOK_DEVICE TYPE __ldg(const TYPE* address) { return (TYPE)__nvvm_ldg_##LETTERS((const AS*)address); }
#define WARPBOOK_LDG_VECTOR(TYPE, ELEMENT, NUMBER, LETTERS)                                  \
  WARPBOOK_DEVICE TYPE __ldg(const TYPE* address) {                                          \
    typedef ELEMENT vector __attribute__((ext_vector_type(NUMBER)));                         \
    return __builtin_bit_cast(TYPE, __nvvm_ldg_##LETTERS((const vector*)address));           \
  }
WARPBOOK_LDG(char, char, c)
WARPBOOK_LDG(signed char, char, c)
WARPBOOK_LDG(unsigned char, unsigned char, uc)
WARPBOOK_LDG(short, short, s)
WARPBOOK_LDG(unsigned short, unsigned short, us)
WARPBOOK_LDG(int, int, i)
WARPBOOK_LDG(unsigned int, unsigned int, ui)
WARPBOOK_LDG(long, long, l)
WARPBOOK_LDG(unsigned long, unsigned long, ul)
WARPBOOK_LDG(long long, long long, ll)
WARPBOOK_LDG(unsigned long long, unsigned long long, ull)
WARPBOOK_LDG(float, float, f)
WARPBOOK_LDG(double, double, d)
WARPBOOK_LDG_VECTOR(char2, char, 2, c2)
WARPBOOK_LDG_VECTOR(char4, char, 4, c4)
WARPBOOK_LDG_VECTOR(uchar2, unsigned char, 2, uc2)
WARPBOOK_LDG_VECTOR(uchar4, unsigned char, 4, uc4)
WARPBOOK_LDG_VECTOR(short2, short, 2, s2)
WARPBOOK_LDG_VECTOR(short4, short, 4, s4)
WARPBOOK_LDG_VECTOR(ushort2, unsigned short, 2, us2)
WARPBOOK_LDG_VECTOR(ushort4, unsigned short, 4, us4)
WARPBOOK_LDG_VECTOR(int2, int, 2, i2)
WARPBOOK_LDG_VECTOR(int4, int, 4, i4)
WARPBOOK_LDG_VECTOR(uint2, unsigned int, 2, ui2)
WARPBOOK_LDG_VECTOR(uint4, unsigned int, 4, ui4)
WARPBOOK_LDG_VECTOR(longlong2, long long, 2, ll2)
WARPBOOK_LDG_VECTOR(ulonglong2, unsigned long long, 2, ull2)
WARPBOOK_LDG_VECTOR(float2, float, 2, f2)
WARPBOOK_LDG_VECTOR(float4, float, 4, f4)
WARPBOOK_LDG_VECTOR(double2, double, 2, d2)
#undef WARPBOOK_LDG
#undef WARPBOOK_LDG_VECTOR

#define WARPBOOK_LOAD(NAME, OP, TYPE, KIND, LETTER, AS)                                          \
  WARPBOOK_DEVICE TYPE NAME(const TYPE* address) {                                               \
    AS value;                                                                                    \
    asm volatile("ld.global." OP "." KIND " %0, [%1];" : "=" LETTER(value) : "l"(address) : "memory"); \
    return (TYPE)value;                                                                          \
  }
#define WARPBOOK_LOAD2(NAME, OP, TYPE, KIND, LETTER, AS)                                         \
  WARPBOOK_DEVICE TYPE NAME(const TYPE* address) {                                               \
    AS x, y;                                                                                     \
    asm volatile("ld.global." OP ".v2." KIND " {%0, %1}, [%2];"                                  \
                 : "=" LETTER(x), "=" LETTER(y)                                                  \
                 : "l"(address)                                                                  \
                 : "memory");                                                                    \
    return {(decltype(TYPE::x))x, (decltype(TYPE::y))y};                                         \
  }
#define WARPBOOK_LOAD4(NAME, OP, TYPE, KIND, LETTER, AS)                                         \
  WARPBOOK_DEVICE TYPE NAME(const TYPE* address) {                                               \
    AS x, y, z, w;                                                                               \
    asm volatile("ld.global." OP ".v4." KIND " {%0, %1, %2, %3}, [%4];"                          \
                 : "=" LETTER(x), "=" LETTER(y), "=" LETTER(z), "=" LETTER(w)                    \
                 : "l"(address)                                                                  \
                 : "memory");                                                                    \
    return {(decltype(TYPE::x))x, (decltype(TYPE::y))y, (decltype(TYPE::z))z, (decltype(TYPE::w))w}; \
  }
// Bytes travel in registers of 16 and 32 bits.
#define WARPBOOK_LOADS(NAME, OP)                                                \
  WARPBOOK_LOAD(NAME, OP, char, "s8", "r", int)                                 \
  WARPBOOK_LOAD(NAME, OP, signed char, "s8", "r", int)                          \
  WARPBOOK_LOAD(NAME, OP, unsigned char, "u8", "r", unsigned int)               \
  WARPBOOK_LOAD(NAME, OP, short, "s16", "h", short)                             \
  WARPBOOK_LOAD(NAME, OP, unsigned short, "u16", "h", unsigned short)           \
  WARPBOOK_LOAD(NAME, OP, int, "s32", "r", int)                                 \
  WARPBOOK_LOAD(NAME, OP, unsigned int, "u32", "r", unsigned int)               \
  WARPBOOK_LOAD(NAME, OP, long, "s64", "l", long)                               \
  WARPBOOK_LOAD(NAME, OP, unsigned long, "u64", "l", unsigned long)             \
  WARPBOOK_LOAD(NAME, OP, long long, "s64", "l", long long)                     \
  WARPBOOK_LOAD(NAME, OP, unsigned long long, "u64", "l", unsigned long long)   \
  WARPBOOK_LOAD(NAME, OP, float, "f32", "f", float)                             \
  WARPBOOK_LOAD(NAME, OP, double, "f64", "d", double)                           \
  WARPBOOK_LOAD2(NAME, OP, char2, "s8", "r", int)                               \
  WARPBOOK_LOAD2(NAME, OP, uchar2, "u8", "r", unsigned int)                     \
  WARPBOOK_LOAD2(NAME, OP, short2, "s16", "h", short)                           \
  WARPBOOK_LOAD2(NAME, OP, ushort2, "u16", "h", unsigned short)                 \
  WARPBOOK_LOAD2(NAME, OP, int2, "s32", "r", int)                               \
  WARPBOOK_LOAD2(NAME, OP, uint2, "u32", "r", unsigned int)                     \
  WARPBOOK_LOAD2(NAME, OP, longlong2, "s64", "l", long long)                    \
  WARPBOOK_LOAD2(NAME, OP, ulonglong2, "u64", "l", unsigned long long)          \
  WARPBOOK_LOAD2(NAME, OP, float2, "f32", "f", float)                           \
  WARPBOOK_LOAD2(NAME, OP, double2, "f64", "d", double)                         \
  WARPBOOK_LOAD4(NAME, OP, char4, "s8", "r", int)                               \
  WARPBOOK_LOAD4(NAME, OP, uchar4, "u8", "r", unsigned int)                     \
  WARPBOOK_LOAD4(NAME, OP, short4, "s16", "h", short)                           \
  WARPBOOK_LOAD4(NAME, OP, ushort4, "u16", "h", unsigned short)                 \
  WARPBOOK_LOAD4(NAME, OP, int4, "s32", "r", int)                               \
  WARPBOOK_LOAD4(NAME, OP, uint4, "u32", "r", unsigned int)                     \
  WARPBOOK_LOAD4(NAME, OP, float4, "f32", "f", float)

WARPBOOK_LOADS(__ldca, "ca")
WARPBOOK_LOADS(__ldcg, "cg")
WARPBOOK_LOADS(__ldcs, "cs")
WARPBOOK_LOADS(__ldlu, "lu")
WARPBOOK_LOADS(__ldcv, "cv")
#undef WARPBOOK_LOADS
#undef WARPBOOK_LOAD
#undef WARPBOOK_LOAD2
#undef WARPBOOK_LOAD4

#define WARPBOOK_STORE(NAME, OP, TYPE, KIND, LETTER, AS)                                                     \
  WARPBOOK_DEVICE void NAME(TYPE* address, TYPE value) {                                                     \
    asm volatile("st.global." OP "." KIND " [%0], %1;" ::"l"(address), LETTER((AS)value) : "memory");        \
  }
#define WARPBOOK_STORE2(NAME, OP, TYPE, KIND, LETTER, AS)                                                    \
  WARPBOOK_DEVICE void NAME(TYPE* address, TYPE value) {                                                     \
    asm volatile("st.global." OP ".v2." KIND " [%0], {%1, %2};" ::"l"(address), LETTER((AS)value.x),         \
                 LETTER((AS)value.y)                                                                         \
                 : "memory");                                                                                \
  }
#define WARPBOOK_STORE4(NAME, OP, TYPE, KIND, LETTER, AS)                                                    \
  WARPBOOK_DEVICE void NAME(TYPE* address, TYPE value) {                                                     \
    asm volatile("st.global." OP ".v4." KIND " [%0], {%1, %2, %3, %4};" ::"l"(address), LETTER((AS)value.x), \
                 LETTER((AS)value.y), LETTER((AS)value.z), LETTER((AS)value.w)                               \
                 : "memory");                                                                                \
  }
#define WARPBOOK_STORES(NAME, OP)                                               \
  WARPBOOK_STORE(NAME, OP, char, "s8", "r", int)                                \
  WARPBOOK_STORE(NAME, OP, signed char, "s8", "r", int)                         \
  WARPBOOK_STORE(NAME, OP, unsigned char, "u8", "r", unsigned int)              \
  WARPBOOK_STORE(NAME, OP, short, "s16", "h", short)                            \
  WARPBOOK_STORE(NAME, OP, unsigned short, "u16", "h", unsigned short)          \
  WARPBOOK_STORE(NAME, OP, int, "s32", "r", int)                                \
  WARPBOOK_STORE(NAME, OP, unsigned int, "u32", "r", unsigned int)              \
  WARPBOOK_STORE(NAME, OP, long, "s64", "l", long)                              \
  WARPBOOK_STORE(NAME, OP, unsigned long, "u64", "l", unsigned long)            \
  WARPBOOK_STORE(NAME, OP, long long, "s64", "l", long long)                    \
  WARPBOOK_STORE(NAME, OP, unsigned long long, "u64", "l", unsigned long long)  \
  WARPBOOK_STORE(NAME, OP, float, "f32", "f", float)                            \
  WARPBOOK_STORE(NAME, OP, double, "f64", "d", double)                          \
  WARPBOOK_STORE2(NAME, OP, int2, "s32", "r", int)                              \
  WARPBOOK_STORE2(NAME, OP, uint2, "u32", "r", unsigned int)                    \
  WARPBOOK_STORE2(NAME, OP, float2, "f32", "f", float)                          \
  WARPBOOK_STORE2(NAME, OP, double2, "f64", "d", double)                        \
  WARPBOOK_STORE4(NAME, OP, uchar4, "u8", "r", unsigned int)                    \
  WARPBOOK_STORE4(NAME, OP, int4, "s32", "r", int)                              \
  WARPBOOK_STORE4(NAME, OP, uint4, "u32", "r", unsigned int)                    \
  WARPBOOK_STORE4(NAME, OP, float4, "f32", "f", float)

WARPBOOK_STORES(__stwb, "wb")
WARPBOOK_STORES(__stcg, "cg")
WARPBOOK_STORES(__stcs, "cs")
WARPBOOK_STORES(__stwt, "wt")
#undef WARPBOOK_STORES
#undef WARPBOOK_STORE
#undef WARPBOOK_STORE2
#undef WARPBOOK_STORE4

WARPBOOK_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(const __attribute__((address_space(3))) void*)p;
}
WARPBOOK_DEVICE size_t __cvta_generic_to_global(const void* p) {
  return (size_t)(const __attribute__((address_space(1))) void*)p;
}
WARPBOOK_DEVICE size_t __cvta_generic_to_constant(const void* p) {
  return (size_t)(const __attribute__((address_space(4))) void*)p;
}
WARPBOOK_DEVICE size_t __cvta_generic_to_local(const void* p) {
  return (size_t)(const __attribute__((address_space(5))) void*)p;
}
WARPBOOK_DEVICE void* __cvta_shared_to_generic(size_t p) { return (void*)(__attribute__((address_space(3))) void*)p; }
WARPBOOK_DEVICE void* __cvta_global_to_generic(size_t p) { return (void*)(__attribute__((address_space(1))) void*)p; }
WARPBOOK_DEVICE void* __cvta_constant_to_generic(size_t p) { return (void*)(__attribute__((address_space(4))) void*)p; }
WARPBOOK_DEVICE void* __cvta_local_to_generic(size_t p) { return (void*)(__attribute__((address_space(5))) void*)p; }
WARPBOOK_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
WARPBOOK_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
WARPBOOK_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
WARPBOOK_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
