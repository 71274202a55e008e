// expect: passed
extern "C" __global__ void aos_to_soa(const float* points, float* out, int n)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < 3 * n; v += gridDim.x * blockDim.x) out[v] = points[v % n * 3 + v / n];
}
