// expect: passed
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* const bin = counts + digits[i];
    atomicAdd(bin, 1);
}
