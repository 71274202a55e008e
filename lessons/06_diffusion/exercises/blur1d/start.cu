// out[i] is to hold the mean of in[i - 1], in[i],
// and in[i + 1]. At the two ends a neighbour is
// missing: the end's own value counts in its place.
extern "C" __global__ void blur1d(
    const float* in, float* out, int n)
{
    // The block's 128 values, with a halo of one
    // value on each side: tile[0] and tile[129].
    __shared__ float tile[130];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 128 + t;
    if (i < n) tile[t + 1] = in[i];

    // The halo is still to be filled, the threads
    // have to wait, and the last line only copies.
    if (i < n) out[i] = tile[t + 1];
}
