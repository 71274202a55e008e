// once[i] is to be the mean of in[i] and its two
// neighbours, and twice[i] the same of once.
// Beyond an end of the row stands the end itself.
extern "C" __global__ void smooth_twice(
    const float* in, float* once, float* twice,
    int* count, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int l = max(i - 1, 0);
    const int r = min(i + 1, n - 1);
    const bool first = threadIdx.x == 0;
    if (i < n)
        once[i] = (in[l] + in[i] + in[r]) / 3;
    __threadfence();
    __syncthreads();
    if (first) {  // wait for all blocks of the grid
        atomicAdd(&count[0], 1);
        while (atomicAdd(&count[0], 0) < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    if (i < n)
        twice[i] =
            (once[l] + once[i] + once[r]) / 3;
    // The last block to come here sets both back.
    if (first && atomicAdd(&count[1], 1)
                     == gridDim.x - 1) {
        atomicExch(&count[0], 0);
        atomicExch(&count[1], 0);
    }
}
