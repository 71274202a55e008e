// passes: 5
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    __shared__ int kept[32];
    if (i >= n) return;
    const int x = in[i];
    const unsigned votes = __ballot_sync(0xffffffff, x > 0);
    if (lane == 0) kept[warp] = __popc(votes);
    __syncthreads();  // expect: sync
    int place = __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) place += kept[w];
    if (x > 0) out[place] = x;
    if (i == n - 1) count[0] = place + (x > 0);
}
