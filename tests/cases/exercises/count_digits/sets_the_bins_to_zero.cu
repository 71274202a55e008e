// hint: at least one of these accesses is not atomic
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 10) counts[i] = 0;  // expect: race
    if (i < n) atomicAdd(&counts[digits[i]], 1);
}
