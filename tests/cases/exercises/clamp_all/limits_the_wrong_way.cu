// expect: wrong 2
// hint: nearest to the one before
__device__ void hold(float& v, float lo, float hi) { v = fminf(lo, fmaxf(v, hi)); }
extern "C" __global__ void clamp_all(float* x, float lo, float hi, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    hold(x[i], lo, hi);
}
