// expect: wrong 0
// hint: How much does a thread add whose digit is 0?
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[digits[i]], digits[i]);
}
