// expect: passed
extern "C" __global__ void turn_around(const int* in, int* out, int n)
{
    extern __shared__ int s[];
    const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    const int count = min((int)blockDim.x, n - first);
    if (t < count) s[count - 1 - t] = in[first + t];
    __syncthreads();
    if (t >= count) return;
    out[first + t] = s[t];
}
