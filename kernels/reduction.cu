// The sum of n floats: every block leaves its share's
// sum in out, and the host adds those few.
// VERSION: the version of the kernel, 0 to 6.
// THREADS: threads a block, which CUB (6) must know.

#if VERSION == 0  // halves, in place in global memory
extern "C" __global__ void sum_blocks(
    float* data, int n, float* out)
{
    const int first = blockIdx.x * blockDim.x;
    const int tid = threadIdx.x;
    float* mine = data + first;
    int width = min(blockDim.x, n - first);
    while (width > 1) {
        const int half = (width + 1) / 2;
        if (tid < width / 2)
            mine[tid] += mine[tid + half];
        __syncthreads();
        width = half;
    }
    if (tid == 0) out[blockIdx.x] = mine[0];
}

#elif VERSION <= 3  // a tree of sums in shared memory
extern "C" __global__ void sum_blocks(
    float* data, int n, float* out)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, size = blockDim.x;
    const int i = blockIdx.x * size + tid;
    s[tid] = i < n ? data[i] : 0;
    __syncthreads();
#if VERSION == 1  // neighbours: every other lane
    for (int gap = 1; gap < size; gap *= 2) {
        if (!(tid & (2 * gap - 1)) && tid + gap < size)
            s[tid] += s[tid + gap];
        __syncthreads();
    }
#elif VERSION == 2  // neighbours: the first lanes
    for (int gap = 1; gap < size; gap *= 2) {
        const int at = 2 * gap * tid;
        if (at + gap < size)
            s[at] += s[at + gap];
        __syncthreads();
    }
#else  // halves: the first lanes, side by side
    for (int width = size; width > 1;) {
        const int half = (width + 1) / 2;
        if (tid < width / 2)
            s[tid] += s[tid + half];
        __syncthreads();
        width = half;
    }
#endif
    if (tid == 0) out[blockIdx.x] = s[0];
}

#else  // warps that hand values from lane to lane
#if VERSION == 6  // … by CUDA's library CUB
#include <cub/block/block_reduce.cuh>
#else
__device__ float warp_sum(float x)
{
    for (int gap = 16; gap > 0; gap /= 2)
        x += __shfl_down_sync(0xffffffff, x, gap);
    return x;
}
#endif

extern "C" __global__ void sum_blocks(
    float* data, int n, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if VERSION == 4
    float x = i < n ? data[i] : 0;
#else  // a fixed grid strides, 16 bytes a load
    const float4* four = (const float4*)data;
    const int stride = gridDim.x * blockDim.x;
    float x = i < n % 4 ? data[n - 1 - i] : 0;
#pragma unroll 4
    for (; i < n / 4; i += stride) {
        const float4 v = four[i];
        x += (v.x + v.y) + (v.z + v.w);
    }
#endif
#if VERSION == 6
    using Sum = cub::BlockReduce<float, THREADS>;
    __shared__ Sum::TempStorage place;
    x = Sum(place).Sum(x);
    if (threadIdx.x == 0) out[blockIdx.x] = x;
#else
    __shared__ float sums[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    x = warp_sum(x);
    if (lane == 0) sums[warp] = x;
    __syncthreads();
    if (warp > 0) return;
    x = lane < blockDim.x / 32 ? sums[lane] : 0;
    x = warp_sum(x);
    if (lane == 0) out[blockIdx.x] = x;
#endif
}
#endif
