// expect: wrong 0
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(best, (long long)values[i] << 32 | threadIdx.x);
}
