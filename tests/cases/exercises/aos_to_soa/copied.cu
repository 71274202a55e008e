// expect: wrong 1
extern "C" __global__ void aos_to_soa(const float* points, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int f = 0; f < 3; ++f) out[3 * i + f] = points[3 * i + f];
}
