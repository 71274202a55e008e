// Counters on both sides of where a pointer points: an index may be negative, and lanes whose index is wild do not add.
extern "C" __global__ void count(int* bins) {
  int* middle = bins + 16;
  const int t = threadIdx.x;
  const int index = t < 32 ? t - 16 : 1000000 * t;
  if (index < 16) atomicAdd(&middle[index], t + 1);
  if (t % 32 < 16) atomicAdd(&middle[t % 16 - 16], 100);
}
// launch: count --grid 256 --block 64 --arg int32[32]=0,…
// expect: arg 0 = 51456 51712 51968 52224 52480 52736 52992 53248 53504 53760 54016 54272 54528 54784 55040 55296 4352 4608 4864 5120 5376 5632 5888 6144 6400 6656 6912 7168 7424 7680 7936 8192
