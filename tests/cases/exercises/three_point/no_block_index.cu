// passes: 2
// hint: Two threads use the same element
extern "C" __global__ void three_point(const float* in, float* out, int n)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    if (i == 0 || i == n - 1) out[i] = in[i];  // expect: race
    else out[i] = (in[i - 1] + 2 * in[i] + in[i + 1]) / 4;
}
