// expect: wrong 133
// passes: 1
// hint: out[133] should be 1133
extern "C" __global__ void pick(const int* table, int m, const int* at, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = at[i];
    out[i] = from > 0 && from < m ? table[from] : -1;
}
