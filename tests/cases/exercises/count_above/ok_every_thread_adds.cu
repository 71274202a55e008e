// expect: passed
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    if (i < n) mine = values[i] > limit ? 1 : 0;
    atomicAdd(count, mine);
}
