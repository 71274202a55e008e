// launch: reverse --grid 1 --block 64 --shared 256 --arg int32[64]=iota
// expect: clean
__global__ void reverse(int* data) {
  extern __shared__ int tile[];
  int t = threadIdx.x;
  tile[t] = data[t];
  __syncthreads();
  data[t] = tile[63 - t];
}
