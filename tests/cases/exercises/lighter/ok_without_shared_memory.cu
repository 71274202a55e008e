// expect: passed
extern "C" __global__ void lighter(const float* in, float* out)
{
    const int first = blockIdx.x * 4096;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) out[first + k] = 2 * in[first + 4095 - k];
}
