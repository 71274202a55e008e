// expect: wrong 4
// passes: 2
extern "C" __global__ void count_bases(const unsigned char* base, int n, int* count)
{
    __shared__ int s[5];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 5) s[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&s[base[i]], 1);
    __syncthreads();
    if (t < 4) atomicAdd(&count[t], s[t]);
}
