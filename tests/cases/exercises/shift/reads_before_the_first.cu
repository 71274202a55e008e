// hint: A thread has used an element that the array does not have
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i - 1];  // expect: memory
}
