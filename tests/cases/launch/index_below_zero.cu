// 32 bits of index, with its sign, from a base in the middle of the array; half a warp's groups take part in the second line.
extern "C" __global__ void below(int* a, int* out) {
  const int i = static_cast<int>(threadIdx.x) - 16;
  int* middle = out + 16;
  middle[i] = (a + 16)[i];
  if (threadIdx.x < 8 || threadIdx.x >= 24) middle[i] += 100;
}
// launch: below --grid 1 --block 32 --arg int32[32]=iota --arg int32[32]=0,…
// expect: arg 1 = 100 101 102 103 104 105 106 107 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 124 125 126 127 128 129 130 131
