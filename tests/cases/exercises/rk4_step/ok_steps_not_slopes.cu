// expect: passed
__device__ float slope(float y, float r) { return r * y * (1 - y); }
__device__ float step(float y, float r, float dt)
{
    const float a = dt * slope(y, r), b = dt * slope(y + a / 2, r);
    const float c = dt * slope(y + b / 2, r), d = dt * slope(y + c, r);
    return y + a / 6 + b / 3 + c / 3 + d / 6;
}
extern "C" __global__ void rk4_step(float* y, const float* r, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = step(y[i], r[i], dt);
}
