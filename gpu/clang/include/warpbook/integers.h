// Bits counted, found, reversed and moved; products' high halves; four bytes or two half words at once.
#pragma once
#pragma clang system_header

WARPBOOK_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
WARPBOOK_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WARPBOOK_DEVICE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
WARPBOOK_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
WARPBOOK_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
WARPBOOK_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
WARPBOOK_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
WARPBOOK_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WARPBOOK_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  return __nvvm_prmt(x, y, selector & 0x7777u);
}
WARPBOOK_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) { return __nvvm_fns(mask, base, offset); }

/// The upper or lower half of high:low moved by shift bits: _l, _r by shift mod 32, _lc, _rc by at most 32.
WARPBOOK_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int result;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
WARPBOOK_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int result;
  asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
WARPBOOK_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int result;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
WARPBOOK_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned int result;
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}

WARPBOOK_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
WARPBOOK_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) { return __nvvm_mulhi_ui(x, y); }
WARPBOOK_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
WARPBOOK_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
WARPBOOK_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
WARPBOOK_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return __nvvm_mul24_ui(x, y); }
WARPBOOK_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
WARPBOOK_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
WARPBOOK_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y) >> 1); }
WARPBOOK_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

/// |x - y| + z.
WARPBOOK_DEVICE unsigned int __sad(int x, int y, unsigned int z) {
  unsigned int result;
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
  return result;
}
WARPBOOK_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  unsigned int result;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z));
  return result;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
/// The sum of four products of bytes, or of two products of a half word and a byte, and c.
WARPBOOK_DEVICE int __dp4a(int a, int b, int c) {
  int result;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
WARPBOOK_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int result;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
WARPBOOK_DEVICE int __dp4a(char4 a, char4 b, int c) { return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }
WARPBOOK_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
WARPBOOK_DEVICE int __dp2a_lo(int a, int b, int c) {
  int result;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
WARPBOOK_DEVICE int __dp2a_hi(int a, int b, int c) {
  int result;
  asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
WARPBOOK_DEVICE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int result;
  asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
WARPBOOK_DEVICE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int result;
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
#endif
