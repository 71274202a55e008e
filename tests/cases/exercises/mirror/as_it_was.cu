// hint: Where does that index come from
extern "C" __global__ void mirror(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = n - i;
    if (i >= n) return;
    const int value = in[from];  // expect: memory
    out[i] = value;
}
