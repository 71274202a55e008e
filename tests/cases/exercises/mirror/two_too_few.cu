// hint: Where does that index come from
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = n - 2 - i;
    if (i >= n) return;
    out[i] = in[from];  // expect: memory
}
