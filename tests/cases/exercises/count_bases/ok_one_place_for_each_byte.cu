// expect: passed
extern "C" __global__ void count_bases(const unsigned char* base, int n, int* count)
{
    __shared__ int s[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < 256; k += blockDim.x) s[k] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&s[base[i]], 1);
    __syncthreads();
    if (t < 5 && s[t] > 0) atomicAdd(&count[t], s[t]);
}
