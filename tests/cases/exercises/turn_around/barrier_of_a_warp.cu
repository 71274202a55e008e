// passes: 1
extern "C" __global__ void turn_around(const int* in, int* out, int n)
{
    extern __shared__ int s[];
    const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    const int count = min((int)blockDim.x, n - first);
    if (t < count) s[t] = in[first + t];
    __syncwarp();
    if (t < count) out[first + t] = s[count - 1 - t];  // expect: init
}
