// expect: passed
extern "C" __global__ void water_level(const int* reading, int* total)
{
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (int k = 0; k < blockDim.x; ++k) sum += reading[blockIdx.x * blockDim.x + k];
    total[blockIdx.x] = sum;
}
