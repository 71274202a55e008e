// 1 / 4 is 0.
// passes: 2
// hint: Which values does its thread add, and how often?
// expect: wrong 1
extern "C" __global__ void three_point(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i == 0 || i == n - 1) out[i] = in[i];
    else out[i] = (1 / 4) * (in[i - 1] + 2 * in[i] + in[i + 1]);
}
