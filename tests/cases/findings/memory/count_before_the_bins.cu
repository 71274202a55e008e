// launch: count --grid 1 --block 32 --arg int32[32]=zeros
extern "C" __global__ void count(int* out)
{
    __shared__ int bins[32];
    const int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[t - 1], 1);  // expect: memory shared
    __syncthreads();
    out[t] = bins[t];
}
