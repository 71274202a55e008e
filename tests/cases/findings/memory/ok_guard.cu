// launch: add --grid 33 --block 128 --arg int32[4096]=iota --arg int32[4096]=zeros --arg int32=4096
// expect: clean
__global__ void add(const int* a, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + 1;
}
