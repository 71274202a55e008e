// The dot product: the sum of a[i] * b[i]. It is
// right, but every thread adds to sum[0] by an
// atomic, and those go one after the other.
extern "C" __global__ void dot(
    const float* a, const float* b,
    float* sum, int n)
{
    const int me = blockIdx.x * blockDim.x
                 + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    float mine = 0;
    for (int i = me; i < n; i += stride)
        mine += a[i] * b[i];
    atomicAdd(&sum[0], mine);
}
