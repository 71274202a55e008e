// expect: failed cudaErrorLaunchFailure
// passes: 0
// hint: The kernel was stopped before its end
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    if (i < n && values[i] > limit) atomicAdd(&mine, 1);
    if (i == 0) count[0] = mine;
}
