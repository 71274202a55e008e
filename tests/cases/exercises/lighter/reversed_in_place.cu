// passes: 0
extern "C" __global__ void lighter(const float* in, float* out)
{
    __shared__ float a[4096];
    const int first = blockIdx.x * 4096;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) a[k] = in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) a[k] = 2 * a[4095 - k];  // expect: race
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) out[first + k] = a[k];
}
