// launch: add --grid 33 --block 128 --arg int32[4096]=iota --arg int32[4096]=zeros
__global__ void add(const int* a, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i];    // expect: memory global the last element is a[4095]. Where
  out[i] = v + 1;  // expect: memory global guard the line: `if (i < n)`
}
