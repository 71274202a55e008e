// The last block smooths again, and forgets to set the counter back.
// expect: wrong 0
// passes: 0
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    __shared__ bool last;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) once[i] = (in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)]) / 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&count[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        twice[k] = (once[max(k - 1, 0)] + once[k] + once[min(k + 1, n - 1)]) / 3;
}
