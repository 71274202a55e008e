// Each half of a warp names its own lanes, in one call: two exchanges.
extern "C" __global__ void halves(unsigned* ballots, int* any, unsigned* same, int* shuffled) {
  const int lane = threadIdx.x;
  const unsigned mask = 0xffffu << (lane & 16);
  ballots[lane] = __ballot_sync(mask, lane % 3 == 0);
  any[lane] = __any_sync(mask, lane == 3);
  same[lane] = __match_any_sync(mask, lane % 4);
  shuffled[lane] = __shfl_sync(mask, lane, 15, 16);
}
// launch: halves --grid 1 --block 32 --arg uint32[32]=0 --arg int32[32]=7,… --arg uint32[32]=0 --arg int32[32]=0
// expect: arg 0 = 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x9249 0x49240000 …
// expect: arg 1 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 …
// expect: arg 2 = 0x1111 0x2222 0x4444 0x8888 0x1111 0x2222 0x4444 0x8888 0x1111 0x2222 0x4444 0x8888 0x1111 0x2222 0x4444 0x8888 0x11110000 0x22220000 0x44440000 0x88880000 0x11110000 0x22220000 0x44440000 0x88880000 0x11110000 0x22220000 0x44440000 0x88880000 0x11110000 0x22220000 0x44440000 0x88880000
// expect: arg 3 = 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 31 …
