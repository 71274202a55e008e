// expect: passed
extern "C" __global__ void smooth(const float* w, const float* in, float* out, int n, int s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = (w[0] * in[max(i - s, 0)] + w[2 * s] * in[min(i + s, n - 1)]) / 2;
    for (int j = -s + 1; j < s; ++j) {
        const int k = min(max(i + j, 0), n - 1);
        sum += w[j + s] * in[k];
    }
    out[i] = sum;
}
