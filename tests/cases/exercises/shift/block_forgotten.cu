// hint: Two threads have used the same element
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    const int i = threadIdx.x;
    if (i < n) out[i] = i > 0 ? in[i - 1] : 0;  // expect: race
}
