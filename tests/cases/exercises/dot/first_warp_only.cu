// expect: wrong 0
// hint: products are missing
extern "C" __global__ void dot(const float* a, const float* b, float* sum, int n)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float mine = 0;
    for (int i = me; i < n; i += stride) mine += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (t == 0) atomicAdd(&sum[0], mine);
}
