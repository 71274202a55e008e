// expect: wrong 512
// hint: No thread has written out[512]
// writer: no thread
extern "C" __global__ void aos_to_soa(const float* points, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = points[3 * i];
}
