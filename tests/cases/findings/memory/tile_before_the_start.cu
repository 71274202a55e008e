// Thread 0 reads the place before the tile: an address below 0, from which the others go on at 0.
// launch: blur --grid 1 --block 128 --arg float32[128]=ones
extern "C" __global__ void blur(float* out)
{
    __shared__ float tile[130];
    const int t = threadIdx.x;
    tile[t] = 1;
    if (t < 2) tile[128 + t] = 1;
    __syncthreads();
    out[t] = tile[t - 1];  // expect: memory shared
}
