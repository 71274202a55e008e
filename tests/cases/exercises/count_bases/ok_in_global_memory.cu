// expect: passed
extern "C" __global__ void count_bases(const unsigned char* base, int n, int* count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[base[i]], 1);
}
