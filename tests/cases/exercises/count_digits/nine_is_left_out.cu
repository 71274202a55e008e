// expect: wrong 9
// hint: No thread has added anything to counts[9]
// writer: no thread
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int digit = digits[i];
    if (digit < 9) atomicAdd(&counts[digit], 1);
}
