// Both results of a shuffle reach lanes that have entered the function by another call: the value, and whether its source is in range.
__device__ __noinline__ int below(int value) {
  int got, in_range;
  asm volatile(
      "{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 8, 31, -1; selp.s32 %1, 1, 0, p; }"
      : "=r"(got), "=r"(in_range)
      : "r"(value));
  return 10 * got + in_range;
}

extern "C" __global__ void exchange(int* a) {
  const int lane = threadIdx.x;
  int got;
  if (lane < 16)
    got = below(lane) + 1000;
  else
    got = below(lane) + 2000;
  a[lane] = got;
}
// launch: exchange --grid 1 --block 32 --arg int32[32]=0
// expect: arg 0 = 1081 1091 1101 1111 1121 1131 1141 1151 1161 1171 1181 1191 1201 1211 1221 1231 2241 2251 2261 2271 2281 2291 2301 2311 2240 2250 2260 2270 2280 2290 2300 2310
