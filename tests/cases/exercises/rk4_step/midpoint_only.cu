// expect: wrong 0
// hint: or its weight
__device__ float slope(float y, float r) { return r * y * (1 - y); }
__device__ float step(float y, float r, float dt)
{
    return y + dt * slope(y + dt / 2 * slope(y, r), r);
}
extern "C" __global__ void rk4_step(float* y, const float* r, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = step(y[i], r[i], dt);
}
