// expect: passed
extern "C" __global__ void two_blurs(const float* in, float* out, int n)
{
    extern __shared__ float s[];
    const int t = threadIdx.x, threads = blockDim.x, i = blockIdx.x * threads + t;
    const auto at = [&](int k) { return in[(k + n) % n]; };
    s[t + 1] = (at(i - 1) + 2 * at(i) + at(i + 1)) / 4;
    if (t == 0) s[0] = (at(i - 2) + 2 * at(i - 1) + at(i)) / 4;
    if (t == threads - 1) s[t + 2] = (at(i) + 2 * at(i + 1) + at(i + 2)) / 4;
    __syncthreads();
    out[i] = (s[t] + 2 * s[t + 1] + s[t + 2]) / 4;
}
