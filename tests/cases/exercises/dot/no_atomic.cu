// hint: nothing puts them in order
extern "C" __global__ void dot(const float* a, const float* b, float* sum, int n)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float mine = 0;
    for (int i = me; i < n; i += stride) mine += a[i] * b[i];
    __shared__ float part[8];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (lane == 0) part[warp] = mine;
    __syncthreads();
    if (t > 0) return;
    for (int w = 1; w < blockDim.x / 32; ++w) mine += part[w];
    sum[0] += mine;  // expect: race
}
