// The index is that of the first block, so every block counts the same digits.
// expect: wrong 0
// passes: 3
// hint: Some threads have added to this bin, and they should not have
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = threadIdx.x;
    if (i < n) atomicAdd(&counts[digits[i]], 1);
}
