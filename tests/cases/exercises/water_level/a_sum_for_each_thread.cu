// expect: wrong 0
// passes: 1
// hint: some readings are missing
extern "C" __global__ void water_level(const int* reading, int* total)
{
    int sum = 0;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sum += reading[i];
    __syncthreads();
    if (t == 0) total[blockIdx.x] = sum;
}
