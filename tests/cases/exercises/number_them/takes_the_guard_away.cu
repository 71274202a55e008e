// hint: The launch has more threads than there are elements
extern "C" __global__ void number_them(int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;  // expect: memory
}
