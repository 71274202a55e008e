// expect: wrong 0
// hint: or its weight
__device__ float slope(float y, float r) { return r * y * (1 - y); }
__device__ float step(float y, float r, float dt)
{
    const float a = slope(y, r);
    y += dt / 2 * a;
    const float b = slope(y, r);
    y += dt / 2 * b;
    const float c = slope(y, r);
    y += dt * c;
    const float d = slope(y, r);
    return y + dt / 6 * (a + 2 * b + 2 * c + d);
}
extern "C" __global__ void rk4_step(float* y, const float* r, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = step(y[i], r[i], dt);
}
