// The other way round: a thread has a bin and looks at every digit.
// expect: passed
extern "C" __global__ void count_digits(const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int bin = i; bin < 10; bin += gridDim.x * blockDim.x) {
        int count = 0;
        for (int k = 0; k < n; ++k)
            if (digits[k] == bin) ++count;
        counts[bin] = count;
    }
}
