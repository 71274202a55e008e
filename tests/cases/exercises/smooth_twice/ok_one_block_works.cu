// expect: passed
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    if (blockIdx.x > 0) return;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        once[k] = (in[max(k - 1, 0)] + in[k] + in[min(k + 1, n - 1)]) / 3;
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        twice[k] = (once[max(k - 1, 0)] + once[k] + once[min(k + 1, n - 1)]) / 3;
}
