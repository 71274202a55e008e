// expect: wrong 3
// hint: something else is counted there
// passes: 2
extern "C" __global__ void count_bases(const unsigned char* base, int n, int* count)
{
    __shared__ int s[4];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 4) s[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&s[min((int)base[i], 3)], 1);
    __syncthreads();
    if (t < 4) atomicAdd(&count[t], s[t]);
}
