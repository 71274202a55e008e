// The lane's own vote is among those that are counted.
// expect: wrong 0
// passes: 1
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    __shared__ int kept[32];
    const int x = i < n ? in[i] : 0;
    const unsigned votes = __ballot_sync(0xffffffff, x > 0);
    if (lane == 0) kept[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((2u << lane) - 1)) % 32;
    for (int w = 0; w < warp; ++w) place += kept[w];
    if (x > 0) out[place] = x;
    if (i == blockDim.x - 1) count[0] = place;
}
