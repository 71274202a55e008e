// expect: passed
extern "C" __global__ void cuda_histogram(const float* x, int n, float low, float high, int* bins, int m)
{
    extern __shared__ int mine[];
    for (int b = threadIdx.x; b < m; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (x[i] < low || x[i] >= high) continue;
        atomicAdd(&mine[min(int((x[i] - low) / (high - low) * m), m - 1)], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < m; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}
