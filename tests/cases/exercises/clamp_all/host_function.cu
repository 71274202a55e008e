void hold(float& v, float lo, float hi)
{
    if (v < lo) v = lo;
    if (v > hi) v = hi;
}
extern "C" __global__ void clamp_all(float* x, float lo, float hi, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    hold(x[i], lo, hi);  // expect: error
}
