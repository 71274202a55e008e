// expect: passed
__device__ float hold(float v, float lo, float hi) { return fminf(fmaxf(v, lo), hi); }
extern "C" __global__ void clamp_all(float* x, float lo, float hi, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = hold(x[i], lo, hi);
}
