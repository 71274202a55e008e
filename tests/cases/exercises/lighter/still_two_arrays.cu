// expect: over_limit occupancy
// passes: 1
// hint: how many blocks fit
extern "C" __global__ void lighter(const float* in, float* out)
{
    __shared__ float a[4096], b[4096];
    const int first = blockIdx.x * 4096;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) a[k] = 2 * in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) b[4095 - k] = a[k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) out[first + k] = b[k];
}
