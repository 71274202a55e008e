// hint: nothing puts them in order
extern "C" __global__ void dot(const float* a, const float* b, float* sum, int n)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float mine = 0;
    for (int i = me; i < n; i += stride) mine += a[i] * b[i];
    __shared__ float part[256];
    part[t] = mine;  // expect: race
    if (t > 0) return;
    for (int k = 1; k < blockDim.x; ++k) mine += part[k];
    atomicAdd(&sum[0], mine);
}
