// launch: work --grid 1 --block 64 --arg float32[64]=ones --arg int32=20
__device__ __noinline__ void grow(float* v, int n) {
  for (int k = 0; k < n; ++k) *v = *v * 1.5f + 1;
}
// Each splits one warp, and the two are not the same.
__global__ void work(float* data, int n) {
  int t = threadIdx.x;
  if (t == 5) grow(data, n); if (t == 37) grow(data + 1, n);  // expect: divergence
}
