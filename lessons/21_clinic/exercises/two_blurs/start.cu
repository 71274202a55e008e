// The n values of in form a ring. out[i] is to be
// in[i] after two blurs.
// A blur makes of each value (left + 2 * itself
// + right) / 4. The grid has exactly n threads.
extern "C" __global__ void two_blurs(
    const float* in, float* out, int n)
{
    extern __shared__ float s[];  // 2 * threads + 8
    const int t = threadIdx.x, threads = blockDim.x;
    const int i = blockIdx.x * threads + t;
    s[t + 1] = in[i];
    if (t == 0) s[0] = in[(i + n - 1) % n];
    if (t == threads - 1)
        s[t + 2] = in[(i + 1) % n];
    __syncthreads();
    const float once =
        (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
    __syncthreads();
    s[t + 1] = once;
    __syncthreads();
    out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
}
