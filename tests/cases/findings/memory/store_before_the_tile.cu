// launch: fill --grid 1 --block 128 --arg float32[128]=ones
extern "C" __global__ void fill(float* out)
{
    __shared__ float tile[130];
    const int t = threadIdx.x;
    tile[t - 1] = 1;  // expect: memory shared
    __syncthreads();
    if (t < 127) out[t] = tile[t];
}
