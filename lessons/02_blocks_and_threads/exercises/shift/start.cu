// out is to hold in, moved one place to the right;
// out[0] is to be 0.
extern "C" __global__ void shift(
    const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    // This copies. Which element should move to
    // out[i]? And what if there is none?
    if (i < n) out[i] = in[i];
}
