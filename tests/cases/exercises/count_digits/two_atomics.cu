// Each of the two is atomic; what lies between them is not.
// expect: wrong 0
// hint: what was added has been lost
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* const bin = &counts[digits[i]];
    atomicExch(bin, atomicAdd(bin, 0) + 1);
}
