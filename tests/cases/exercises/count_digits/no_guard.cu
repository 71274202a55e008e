// hint: `digits` has `n` elements
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int digit = digits[i];  // expect: memory
    atomicAdd(&counts[digit], 1);
}
