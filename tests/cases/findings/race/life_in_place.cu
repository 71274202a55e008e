// launch: grow --grid 1 --block 64 --arg int32[64]=iota --arg int32=3
// Within a turn a cell is overwritten that a neighbour has yet to read.
__global__ void grow(int* cells, int turns) {
  __shared__ int life[66];
  int t = threadIdx.x;
  life[t + 1] = cells[t];
  if (t == 0) life[0] = life[65] = 0;
  __syncthreads();
  for (int k = 0; k < turns; ++k) {
    life[t + 1] = life[t] ^ life[t + 2];  // expect: race shared Read into a variable first, call
  }
  cells[t] = life[t + 1];
}
