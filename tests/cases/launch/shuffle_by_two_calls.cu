// Lanes that enter a function by different calls exchange values inside it.
__device__ __noinline__ int neighbour(int value) { return __shfl_xor_sync(0xffffffffu, value, 16) + __popc(__ballot_sync(0xffffffffu, value & 1)); }

extern "C" __global__ void exchange(int* a) {
  const int lane = threadIdx.x;
  int got;
  if (lane < 16)
    got = neighbour(2 * lane) + 1000;
  else
    got = neighbour(2 * lane + 1) + 2000;
  a[lane] = got;
}
// launch: exchange --grid 1 --block 32 --arg int32[32]=0
// expect: arg 0 = 1049 1051 1053 1055 1057 1059 1061 1063 1065 1067 1069 1071 1073 1075 1077 1079 2016 2018 2020 2022 2024 2026 2028 2030 2032 2034 2036 2038 2040 2042 2044 2046
