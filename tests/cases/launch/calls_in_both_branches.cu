// Lanes meet by mask, at whichever call: in branches, in functions, with masks in registers, and by several ways at once.
__device__ __noinline__ int by_function(unsigned mask, int v) { return __shfl_xor_sync(mask, v, 1); }

extern "C" __global__ void meet(int* swapped, int* rotated, unsigned* ballots, unsigned* matches, int* any) {
  const int lane = threadIdx.x;
  int v;
  if (lane % 2) {
    v = lane < 8 ? by_function(0xffffffffu, lane + 100) : __shfl_xor_sync(0xffffffffu, lane + 200, 1);
  } else {
    const int own = 10 * lane;
    v = by_function(0xffffffffu, own) + 1;
  }
  swapped[lane] = v;
  if (lane < 5)
    rotated[lane] = __shfl_sync(0xffffffffu, lane, lane + 1);
  else
    rotated[lane] = __shfl_sync(0xffffffffu, lane, (lane + 1) % 32) + 1000;
  unsigned ballot, match;
  if (lane >= 16) {
    ballot = __ballot_sync(0xffffffffu, lane != 20);
    match = __match_any_sync(0xffffffffu, lane / 8) + 1;
  } else {
    ballot = ~__ballot_sync(0xffffffffu, lane == 3);
    match = __match_any_sync(0xffffffffu, lane / 8 + 2);
  }
  ballots[lane] = ballot;
  matches[lane] = match;
  if (lane == 9)
    any[lane] = __any_sync(0xffffffffu, lane == 9) + 5;
  else
    any[lane] = __any_sync(0xffffffffu, false);
}
// launch: meet --grid 1 --block 32 --arg int32[32]=0 --arg int32[32]=0 --arg uint32[32]=0 --arg uint32[32]=0 --arg int32[32]=0
// expect: arg 0 = 102 0 104 20 106 40 108 60 210 80 212 100 214 120 216 140 218 160 220 180 222 200 224 220 226 240 228 260 230 280 232 300
// expect: arg 1 = 1 2 3 4 5 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1000
// expect: arg 2 = 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0x0010fff7 0xffef0008 …
// expect: arg 3 = 0xff00ff 0xff00ff 0xff00ff 0xff00ff 0xff00ff 0xff00ff 0xff00ff 0xff00ff 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00 0xff00ff00 0xff0100 0xff0100 0xff0100 0xff0100 0xff0100 0xff0100 0xff0100 0xff0100 0xff00ff01 …
// expect: arg 4 = 1 1 1 1 1 1 1 1 1 6 1 …
