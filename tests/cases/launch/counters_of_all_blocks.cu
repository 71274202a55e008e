// 65,536 = 7 × 9362 + 2; the last counter is raised and lowered by everybody.
extern "C" __global__ void count(int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[i % 7], 1);
  atomicAdd(&bins[7], i);
  atomicAdd(&bins[7], -i);
}
// launch: count --grid 256 --block 256 --arg int32[8]=0,…
// expect: arg 0 = 9363 9363 9362 9362 9362 9362 9362 0
