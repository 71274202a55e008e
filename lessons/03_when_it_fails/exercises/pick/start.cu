// out[i] = table[at[i]], for all n places; -1 where
// at[i] is no index of table, which has m elements.
extern "C" __global__ void pick(
    const int* table, int m, const int* at,
    int* out, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    const int from = at[i];
    out[i] = table[from];
}
