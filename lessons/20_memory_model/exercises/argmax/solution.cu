extern "C" __global__ void argmax(
    const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    const long long value = values[i];
    atomicMax(best, value << 32 | i);
}
