extern "C" __global__ void smooth(
    const float* w, const float* in, float* out,
    int n, int s)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = -s; j <= s; ++j) {
        const int k = min(max(i + j, 0), n - 1);
        const float term = w[j + s] * in[k];
        sum += j == -s || j == s ? term / 2 : term;
    }
    out[i] = sum;
}
