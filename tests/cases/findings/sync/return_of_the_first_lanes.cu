// The first lanes of the warp have returned: they are who is missing, and another waits.
// launch: late --grid 1 --block 32 --arg int32[32]=iota
__global__ void late(int* data) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (t < 4) return;
  tile[t] = data[t];
  __syncthreads();  // expect: sync but thread (0,0,0) of its block has ended
  data[t] = tile[35 - t];
}
