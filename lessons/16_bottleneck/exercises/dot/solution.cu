extern "C" __global__ void dot(
    const float* a, const float* b,
    float* sum, int n)
{
    __shared__ float part[32];
    const int me = blockIdx.x * blockDim.x
                 + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    const int lane = threadIdx.x % 32;
    float mine = 0;
    for (int i = me; i < n; i += stride)
        mine += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(~0u, mine, d);
    if (lane == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; ++w)
        mine += part[w];
    atomicAdd(&sum[0], mine);
}
