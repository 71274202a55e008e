// passes: 2
// hint: at least one of these accesses is not atomic
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[digits[i]] += 1;  // expect: race
}
