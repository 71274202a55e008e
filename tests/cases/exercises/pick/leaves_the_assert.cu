// expect: failed cudaErrorAssert
// hint: An assert stops the whole kernel
extern "C" __global__ void pick(const int* table, int m, const int* at, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int from = at[i];
    assert(from >= 0 && from < m);
    out[i] = table[from];
}
