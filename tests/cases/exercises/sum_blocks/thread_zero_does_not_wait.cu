// The barrier has to stand before the `if`, where every thread comes to it.
// passes: 1
// hint: nothing makes sure that the other thread has already stored it
extern "C" __global__ void sum_blocks(const float* x, int n, float* sums)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0;  // expect: race
    if (tid == 0) {
        float sum = 0;
        for (int k = 0; k < blockDim.x; ++k) sum += s[k];
        sums[blockIdx.x] = sum;
    }
}
