// hint: Where does that index come from
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = n - i;
    if (i >= n - 1) return;
    out[i] = in[from];  // expect: memory
}
