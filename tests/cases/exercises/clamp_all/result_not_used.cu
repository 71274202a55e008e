// expect: wrong 0
// hint: No thread has stored
// writer: no thread
__device__ float hold(float v, float lo, float hi)
{
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    return v;
}
extern "C" __global__ void clamp_all(float* x, float lo, float hi, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    hold(x[i], lo, hi);
}
