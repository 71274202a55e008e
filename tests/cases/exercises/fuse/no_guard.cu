// passes: 2
// hint: an element that the array does not have
extern "C" __global__ void fuse(const float* in, float* out, float low, float scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float t = (in[i] - low) * scale;  // expect: memory
    out[i] = fminf(fmaxf(t, 0.0f), 1.0f);
}
