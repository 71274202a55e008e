// out[w] is to hold the largest value of warp w.
// Thread i has the value in[i]; every warp is full.
extern "C" __global__ void warp_max(
    const int* in, int* out)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    int x = in[i];

    // So far lane 0 knows its own value only.

    if (i % 32 == 0) out[i / 32] = x;
}
