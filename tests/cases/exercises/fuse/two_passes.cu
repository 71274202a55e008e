// expect: over_limit sectors_of_start
// passes: 0
// told: times as many as the kernel that you began with
// hint: still move too often
extern "C" __global__ void fuse(const float* in, float* out, float low, float scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i] - low) * scale;
    __syncthreads();
    if (i < n) out[i] = fminf(fmaxf(out[i], 0.0f), 1.0f);
}
