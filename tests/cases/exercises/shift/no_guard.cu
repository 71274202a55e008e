// hint: A thread has used an element that the array does not have
// passes: 2
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i > 0 ? in[i - 1] : 0;  // expect: memory
}
