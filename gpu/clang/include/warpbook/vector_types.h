// int2, float4, dim3 … and their make_ functions.
#pragma once
#pragma clang system_header

#include <stddef.h>

// Alignment: as CUDA's, the size of the whole for two and four elements, of one element for one and three; at most 16 bytes.
#define WARPBOOK_VECTORS(NAME, TYPE, ALIGN2, ALIGN4)                                                   \
  struct NAME##1 {                                                                                     \
    TYPE x;                                                                                            \
  };                                                                                                   \
  struct __attribute__((aligned(ALIGN2))) NAME##2 {                                                    \
    TYPE x, y;                                                                                         \
  };                                                                                                   \
  struct NAME##3 {                                                                                     \
    TYPE x, y, z;                                                                                      \
  };                                                                                                   \
  struct __attribute__((aligned(ALIGN4))) NAME##4 {                                                    \
    TYPE x, y, z, w;                                                                                   \
  };                                                                                                   \
  WARPBOOK_BOTH NAME##1 make_##NAME##1(TYPE x) { return {x}; }                                         \
  WARPBOOK_BOTH NAME##2 make_##NAME##2(TYPE x, TYPE y) { return {x, y}; }                              \
  WARPBOOK_BOTH NAME##3 make_##NAME##3(TYPE x, TYPE y, TYPE z) { return {x, y, z}; }                   \
  WARPBOOK_BOTH NAME##4 make_##NAME##4(TYPE x, TYPE y, TYPE z, TYPE w) { return {x, y, z, w}; }

WARPBOOK_VECTORS(char, signed char, 2, 4)
WARPBOOK_VECTORS(uchar, unsigned char, 2, 4)
WARPBOOK_VECTORS(short, short, 4, 8)
WARPBOOK_VECTORS(ushort, unsigned short, 4, 8)
WARPBOOK_VECTORS(int, int, 8, 16)
WARPBOOK_VECTORS(uint, unsigned int, 8, 16)
WARPBOOK_VECTORS(long, long, 16, 16)
WARPBOOK_VECTORS(ulong, unsigned long, 16, 16)
WARPBOOK_VECTORS(longlong, long long, 16, 16)
WARPBOOK_VECTORS(ulonglong, unsigned long long, 16, 16)
WARPBOOK_VECTORS(float, float, 8, 16)
WARPBOOK_VECTORS(double, double, 16, 16)
#undef WARPBOOK_VECTORS

/// A shape: what is not named is 1.
struct dim3 {
  unsigned int x, y, z;
  WARPBOOK_BOTH constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  WARPBOOK_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  WARPBOOK_BOTH constexpr operator uint3() const { return {x, y, z}; }
};

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
