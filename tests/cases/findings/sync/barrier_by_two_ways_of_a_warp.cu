// Two threads are named, which stand at the two lines.
// launch: turn --grid 1 --block 32 --arg float32[32]=iota
__global__ void turn(float* data) {
  __shared__ float tile[32];
  int t = threadIdx.x;
  tile[t] = data[t];
  if (t >= 24) __syncthreads();
  else __syncthreads();          // expect: sync while thread (24,0,0) waits elsewhere
  data[t] = tile[31 - t];
}
