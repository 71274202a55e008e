// launch: grow --grid 1 --block 64 --arg int32[64]=iota --arg int32=3
// The barrier at the end of a turn is there; the one between reading and writing is not.
__global__ void grow(int* cells, int turns) {
  __shared__ int life[66];
  int t = threadIdx.x;
  life[t + 1] = cells[t];
  if (t == 0) life[0] = life[65] = 0;
  __syncthreads();
  for (int k = 0; k < turns; ++k) {
    life[t + 1] = life[t] ^ life[t + 2];  // expect: race shared and only then write.
    __syncthreads();
  }
  cells[t] = life[t + 1];
}
