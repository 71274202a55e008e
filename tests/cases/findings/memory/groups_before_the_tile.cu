// Eight lanes each, all of which begin at the same place before the tile.
// launch: groups --grid 1 --block 32 --arg float64[32]=ones
extern "C" __global__ void groups(double* out)
{
    __shared__ double tile[8];
    const int t = threadIdx.x;
    if (t < 8) tile[t] = t;
    __syncthreads();
    out[t] = tile[t % 8 - 1];  // expect: memory shared
}
