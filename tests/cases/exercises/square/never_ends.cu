// expect: too_slow
// passes: 3
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (((volatile const float*)in)[i % n] != 0 && n == 4096) {
    }
    if (i < n) out[i] = in[i] * in[i];
}
