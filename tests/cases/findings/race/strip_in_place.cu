// launch: smooth --grid 1 --block 64 --arg float32[256]=iota
// The loop walks over the strip: each turn has other elements, but what is overwritten too early is a neighbour of the same turn.
__global__ void smooth(float* u) {
  __shared__ float strip[256];
  for (int i = threadIdx.x; i < 256; i += 64) strip[i] = u[i];
  __syncthreads();
  for (int i = threadIdx.x + 1; i < 255; i += 64) {
    strip[i] = strip[i - 1] + strip[i + 1];  // expect: race shared ead into a variable first
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64) u[i] = strip[i];
}
