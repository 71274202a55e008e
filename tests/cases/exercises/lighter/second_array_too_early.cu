// passes: 0
// hint: has used a place that its array does not have
extern "C" __global__ void lighter(const float* in, float* out)
{
    __shared__ float a[4096];
    float* b = a + 2048;
    const int first = blockIdx.x * 4096;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) a[k] = in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) b[k] = 2 * a[k];  // expect: memory
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) out[first + k] = b[4095 - k];
}
