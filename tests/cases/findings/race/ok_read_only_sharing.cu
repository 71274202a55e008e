// launch: gather --grid 4 --block 64 --arg int32[64]=iota --arg int32[256]=zeros
// expect: clean
__global__ void gather(const int* table, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < 64; ++k) sum += table[(k + i) % 64] + table[0];
  out[i] = sum;
}
