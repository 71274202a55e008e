extern "C" __global__ void lighter(
    const float* in, float* out)
{
    __shared__ float a[4096];
    const int first = blockIdx.x * 4096;
    const int step = blockDim.x;
    for (int k = threadIdx.x; k < 4096; k += step)
        a[k] = 2 * in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += step)
        out[first + k] = a[4095 - k];
}
