// A block agrees on its own largest value first.
// expect: passed
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    __shared__ int best[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    best[threadIdx.x] = i < n ? values[i] : -2147483647 - 1;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (threadIdx.x < gap) best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + gap]);
    }
    if (threadIdx.x == 0) atomicMax(result, best[0]);
}
