// launch: exchange --grid 1 --block 32 --arg int32[32]=zeros
// expect: clean
__global__ void exchange(int* out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = t;
  if (t < 16) {
    __syncwarp(0x0000ffff);
    out[t] = tile[t ^ 1];
  } else {
    out[t] = tile[t];
  }
}
