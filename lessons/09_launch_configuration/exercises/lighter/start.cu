// A block reverses its 4096 elements, doubled, with
// two shared arrays of 16 KiB. One is enough.
extern "C" __global__ void lighter(
    const float* in, float* out)
{
    __shared__ float a[4096], b[4096];
    const int first = blockIdx.x * 4096;
    const int step = blockDim.x;
    for (int k = threadIdx.x; k < 4096; k += step)
        a[k] = in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += step)
        b[k] = 2 * a[k];
    __syncthreads();
    for (int k = threadIdx.x; k < 4096; k += step)
        out[first + k] = b[4095 - k];
}
