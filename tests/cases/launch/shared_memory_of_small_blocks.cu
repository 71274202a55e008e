// Small blocks march together, each with shared memory of its own: whole rows are stored, and read by the other warp.
extern "C" __global__ void crosswise(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = i;
  __syncthreads();
  out[i ^ 32] = tile[t ^ 32];
}
// launch: crosswise --grid 2048 --block 64 --arg int32[131072]=0,…
// expect: arg 0 = iota
