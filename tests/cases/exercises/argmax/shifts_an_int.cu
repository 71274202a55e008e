// The shift by 32 is made in 32 bits.
// expect: wrong 0
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int bits = 32;
    if (i < n) atomicMax(best, (long long)((values[i] << (bits & 31)) | i));
}
