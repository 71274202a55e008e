// hint: nothing makes sure that another thread has finished
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    __shared__ int kept[32];
    const int x = i < n ? in[i] : 0;
    const unsigned votes = __ballot_sync(0xffffffff, x > 0);
    if (lane == 0) kept[warp] = __popc(votes);  // expect: race
    int place = __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) place += kept[w];
    if (x > 0) out[place] = x;
    if (i == blockDim.x - 1) count[0] = place + (x > 0);
}
