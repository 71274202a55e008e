// The first level of a tree, in one block of 256
// threads: out[i] is to hold the sum of partial[i]
// and partial[i + 128], for i from 0 to 127.
extern "C" __global__ void pair_sums(
    const float* in, float* out, int n)
{
    extern __shared__ float partial[];
    const int i = threadIdx.x;
    if (i < n) partial[i] = in[i];

    // So far out[i] holds a value and no sum.
    if (i < 128) out[i] = partial[i];
}
