// expect: wrong 0
// passes: 0
extern "C" __global__ void lighter(const float* in, float* out)
{
    __shared__ float a[4096];
    const int first = blockIdx.x * 4096;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) a[k] = in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) out[first + k] = a[4095 - k];
}
