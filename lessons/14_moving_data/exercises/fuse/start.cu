// Three kernels in one, one after the other: each
// pass reads an array of global memory and writes
// one. A barrier stands where a kernel would end.
// Do it all with one read and one write a value.
extern "C" __global__ void fuse(
    const float* in, float* out,
    float low, float scale, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    // The first kernel
    if (i < n) out[i] = in[i] - low;
    __syncthreads();
    // The second kernel
    if (i < n) out[i] = out[i] * scale;
    __syncthreads();
    // The third kernel: nothing below 0 or above 1
    if (i < n)
        out[i] = fminf(fmaxf(out[i], 0.0f), 1.0f);
}
