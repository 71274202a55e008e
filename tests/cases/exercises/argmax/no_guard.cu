extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long value = values[i];  // expect: memory
    atomicMax(best, value << 32 | i);
}
