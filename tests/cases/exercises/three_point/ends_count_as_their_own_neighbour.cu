// The end's own value in place of the neighbour that is missing.
// passes: 1
// hint: Only the two ends are wrong
// expect: wrong 0
extern "C" __global__ void three_point(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = (in[max(i - 1, 0)] + 2 * in[i] + in[min(i + 1, n - 1)]) / 4;
}
