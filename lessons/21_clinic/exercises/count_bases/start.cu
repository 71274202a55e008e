// count[b] is to hold how many of n bases are b:
// 0, 1, 2, 3 are A, C, G and T, and 4 is unknown.
extern "C" __global__ void count_bases(
    const unsigned char* base, int n, int* count)
{
    __shared__ int s[4];
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    if (t < 5) s[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&s[base[i]], 1);
    __syncthreads();
    if (t < 5) atomicAdd(&count[t], s[t]);
}
