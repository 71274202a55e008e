// expect: wrong 0
// hint: must not simply stop
// writer: no thread
extern "C" __global__ void pick(const int* table, int m, const int* at, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = at[i];
    if (from < 0 || from >= m) return;
    out[i] = table[from];
}
