// hint: wipe out
extern "C" __global__ void water_level(const int* reading, int* total)
{
    __shared__ int sum;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sum = 0;  // expect: race
    atomicAdd(&sum, reading[i]);
    __syncthreads();
    if (t == 0) total[blockIdx.x] = sum;
}
