// `steps` steps of a random number generator for each value: what is right is known without making them one by one.
extern "C" __global__ void scramble(unsigned* x, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = x[i];
#pragma unroll 1  // several steps at once could be made one
    for (int s = 0; s < steps; ++s) v = v * 1664525u + 1013904223u;
    x[i] = v;
}
