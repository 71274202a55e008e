// A block counts in shared memory first.
// expect: passed
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    __shared__ int here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > limit) atomicAdd(&here, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, here);
}
