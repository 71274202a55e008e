// expect: wrong 0
// hint: should be -1
extern "C" __global__ void pick(const int* table, int m, const int* at, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = at[i];
    out[i] = table[min(max(from, 0), m - 1)];
}
