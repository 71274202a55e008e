// hint: more atomic operations than blocks
extern "C" __global__ void dot(const float* a, const float* b, float* sum, int n)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float mine = 0;
    for (int i = me; i < n; i += stride) mine += a[i] * b[i];
    __shared__ float all;
    if (t == 0) all = 0;
    __syncthreads();
    atomicAdd(&all, mine);  // expect: over_limit atomics
    __syncthreads();
    if (t == 0) atomicAdd(&sum[0], all);
}
