// expect: passed
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    __shared__ float s[1026];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const auto mean = [&](int k) { return (in[max(k - 1, 0)] + in[k] + in[min(k + 1, n - 1)]) / 3; };
    const int k = min(i, n - 1);
    s[t + 1] = mean(k);
    if (t == 0) s[0] = mean(max(k - 1, 0));
    if (t == blockDim.x - 1) s[t + 2] = mean(min(k + 1, n - 1));
    __syncthreads();
    if (i >= n) return;
    once[i] = s[t + 1];
    const float right = i + 1 < n ? s[t + 2] : s[t + 1];
    twice[i] = (s[t] + s[t + 1] + right) / 3;
}
