// launch: twice --grid 4 --block 64 --arg int32[256]=iota --arg int32[256]=zeros --arg int32=256
// Each block does all of the work that was meant for one.
__global__ void twice(const int* in, int* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = 2 * in[i];  // expect: race global let the loop go on by gridDim.x * blockDim.x
}
