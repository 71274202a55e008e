extern "C" __global__ void water_level(
    const int* reading, int* total)
{
    __shared__ int sum;
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, reading[i]);
    __syncthreads();
    if (t == 0) total[blockIdx.x] = sum;
}
