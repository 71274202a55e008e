// passes: 0
// hint: some threads may be in the second while others are in the first
extern "C" __global__ void two_blurs(const float* in, float* out, int n)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, threads = blockDim.x, i = blockIdx.x * threads + t;
    s[t + 1] = in[i];
    if (t == 0) s[0] = in[(i + n - 1) % n];
    if (t == threads - 1) s[t + 2] = in[(i + 1) % n];
    __syncthreads();
    s[t + 1] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;  // expect: race
    if (t == 0) s[0] = (in[(i + n - 2) % n] + 2 * in[(i + n - 1) % n] + in[i]) / 4;
    if (t == threads - 1) s[t + 2] = (in[i] + 2 * in[(i + 1) % n] + in[(i + 2) % n]) / 4;
    __syncthreads();
    out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
}
