// 262,144 = 7 × 37,449 + 1; the last counter is raised and lowered by everybody.
extern "C" __global__ void count(int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[i % 7], 1);
  atomicAdd(&bins[7], i);
  atomicAdd(&bins[7], -i);
}
// launch: count --grid 1024 --block 256 --arg int32[8]=0,…
// expect: arg 0 = 37450 37449 37449 37449 37449 37449 37449 0
