// passes: 1
extern "C" __global__ void turn_around(const int* in, int* out, int n)
{
    extern __shared__ int s[];
    const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    if (first + t < n) s[t] = in[first + t];
    __syncthreads();
    if (first + t < n) out[first + t] = s[blockDim.x - 1 - t];  // expect: init
}
