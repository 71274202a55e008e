// passes: 2
extern "C" __global__ void aos_to_soa(const float* points, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = points[3 * i];  // expect: memory
    out[n + i] = points[3 * i + 1];
    out[2 * n + i] = points[3 * i + 2];
}
