// passes: 2
// hint: Two threads of different blocks have written the same element
extern "C" __global__ void number_them(int* out, int n)
{
    const int i = threadIdx.x;
    if (i < n) out[i] = i;  // expect: race
}
