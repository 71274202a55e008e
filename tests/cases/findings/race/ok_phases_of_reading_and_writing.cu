// launch: phases --grid 2 --block 64 --arg int32[128]=iota --arg int32=3
// expect: clean
// Behind the first barrier nobody writes, behind the second everybody does, each its own element.
__global__ void phases(int* data, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t, sum = 0;
  for (int k = 0; k < n; ++k) {
    s[t] = data[i] + sum;
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += s[j] ^ s[63 - t];
    __syncthreads();
  }
  data[i] = sum;
}
