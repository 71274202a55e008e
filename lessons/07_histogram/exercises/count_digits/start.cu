// counts[0] is to hold how many of the n digits are
// 0, counts[1] how many are 1, and so on, up to
// counts[9]. All ten counts begin with 0.
extern "C" __global__ void count_digits(
    const int* digits, int* counts, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    // This thread's digit is digits[i]. Which count
    // does it belong to? Other threads may want the
    // same count at the same time.
}
