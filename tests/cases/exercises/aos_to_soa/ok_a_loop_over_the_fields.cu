// expect: passed
extern "C" __global__ void aos_to_soa(const float* points, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int f = 0; f < 3; ++f) out[f * n + i] = points[i * 3 + f];
}
