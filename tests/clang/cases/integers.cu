// Bits counted and moved, high halves, sums of bytes.
extern "C" __global__ void integers(int* a, unsigned int* u, unsigned long long* w) {
  a[0] = __popc(0xf0f0u);
  a[1] = __popcll(0xffull << 40);
  a[2] = __clz(1) + 100 * __clz(0);
  a[3] = __clzll(1ll << 40) + 100 * __clzll(0);
  a[4] = __ffs(8) + 100 * __ffs(0);
  a[5] = __ffsll(1ll << 40);
  a[6] = __mulhi(-2, 3);
  a[7] = __mul24(1 << 23, 2);
  a[8] = __hadd(-3, 2);
  a[9] = __rhadd(-3, 2);
  a[10] = __sad(-5, 5, 1u);
  a[11] = __dp4a(0x01020304, 0x01010101, 5);
  a[12] = __dp4a((int)0xff00ff00, 0x02020202, 0);
  a[13] = min(3, -4) + max(7, 9) + abs(-20);
  u[0] = __brev(1u);
  u[1] = __byte_perm(0x33221100u, 0x77665544u, 0x7150u);
  u[2] = __funnelshift_l(0x80000001u, 0x2u, 4);
  u[3] = __funnelshift_r(0x80000001u, 0x2u, 4);
  u[4] = __funnelshift_lc(1u, 2u, 40);
  u[5] = __umulhi(0x80000000u, 6u);
  u[6] = __uhadd(0xffffffffu, 1u);
  u[7] = __usad(3u, 5u, 1u);
  u[8] = min(3u, 4u) + max(3u, 10u);
  w[0] = __brevll(1ull);
  w[1] = __umul64hi(1ull << 63, 6ull);
  w[2] = (unsigned long long)__mul64hi(-1ll, 1ll);
}
// launch: integers --grid 1 --block 1 --arg int32[14]=0 --arg uint32[9]=0 --arg uint64[3]=0
// expect: arg 0 = 8 8 3231 6423 4 41 -1 -16777216 -1 0 11 15 -4 25
// expect: arg 1 = 0x80000000 0x77115500 0x28 0x28000000 1 3 0x80000000 3 13
// expect: arg 2 = 0x8000000000000000 3 0xffffffffffffffff
