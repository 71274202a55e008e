// expect: wrong 0
// passes: 2
// hint: some of them have not been counted
extern "C" __global__ void count_above_warp(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int votes = __any_sync(0xffffffff, i < n && values[i] > limit);
    if (threadIdx.x % 32 == 0) atomicAdd(&count[0], votes ? 1 : 0);
}
