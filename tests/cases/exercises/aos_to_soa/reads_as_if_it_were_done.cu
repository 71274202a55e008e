// expect: wrong 1
// hint: should be
extern "C" __global__ void aos_to_soa(const float* points, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int f = 0; f < 3; ++f) out[f * n + i] = points[f * n + i];
}
