// The wrong idea, with the right result.
// expect: passed
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    if (i > 0) return;
    int place = 0;
    for (int k = 0; k < n; ++k)
        if (in[k] > 0) out[place++] = in[k];
    count[0] = place;
}
