// expect: passed
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    __shared__ long long mine;
    if (threadIdx.x == 0) mine = -1;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(&mine, (long long)values[i] << 32 | i);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(best, mine);
}
