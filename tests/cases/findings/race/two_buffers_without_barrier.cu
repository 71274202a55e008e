// launch: steps --grid 1 --block 64 --arg float32[64]=iota --arg int32=4
__global__ void steps(float* u, int n) {
  __shared__ float buffer[2][66];
  int t = threadIdx.x, from = 0;
  buffer[0][t + 1] = u[t];
  if (t < 2) buffer[t][0] = buffer[t][65] = 0;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    buffer[1 - from][t + 1] = 0.5f * (buffer[from][t] + buffer[from][t + 2]);  // expect: race shared at the end of each turn of the loop, perhaps init shared
    from = 1 - from;
  }
  u[t] = buffer[from][t + 1];
}
