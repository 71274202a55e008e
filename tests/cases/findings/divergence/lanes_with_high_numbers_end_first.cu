// launch: work --grid 1,1 --block 16,4 --arg float32[64]=ones
// Each turn of the loop sends some lanes out of the kernel, and those that stay have the low numbers; but the warp comes again.
__global__ void work(float* data) {
  float v = data[threadIdx.y * 16 + threadIdx.x];
  for (int k = 0;; ++k) {
    v = sqrtf(v) + 2;
    data[threadIdx.y * 16 + threadIdx.x] = v;
    if (threadIdx.x + k >= 16) return;  // expect: divergence
  }
}
