extern "C" __global__ void water_level(const int* reading, int* total)
{
    __shared__ int sum = 0;  // expect: error
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    atomicAdd(&sum, reading[i]);
    __syncthreads();
    if (t == 0) total[blockIdx.x] = sum;
}
