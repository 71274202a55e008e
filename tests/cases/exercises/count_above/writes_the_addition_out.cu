// passes: 1
// hint: at least one of these accesses is not atomic
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > limit) count[0] = count[0] + 1;  // expect: race
}
