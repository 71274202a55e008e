// expect: passed
extern "C" __global__ void pick(const int* table, int m, const int* at, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = at[i];
    out[i] = -1;
    if (from < 0 || from >= m) return;
    out[i] = table[from];
}
