// The values that pass stay where they were.
// expect: wrong 0
// passes: 1
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    const int x = i < n ? in[i] : 0;
    if (x > 0) out[i] = x;
    const int all = __syncthreads_count(x > 0);
    if (i == 0) count[0] = all;
}
