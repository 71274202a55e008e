// out[i] = a[i] + b[i], a thread for each i.
extern "C" __global__ void add(
    const int* a, const int* b, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
#if GUARD
    if (i >= n) return;
#endif
    out[i] = a[i] + b[i];
}
