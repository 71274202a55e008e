// launch: fours --grid 1 --block 32 --arg float32[128]=ones
extern "C" __global__ void fours(float4* out)
{
    __shared__ float4 tile[32];
    const int t = threadIdx.x;
    tile[t] = make_float4(1, 2, 3, 4);
    __syncthreads();
    out[t] = tile[t - 1];  // expect: memory shared
}
