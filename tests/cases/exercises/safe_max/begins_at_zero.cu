// hint: larger than every value
// expect: wrong 0
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    __shared__ int best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(&best, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(result, best);
}
// passes: 3
