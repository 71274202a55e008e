// expect: wrong 0
// passes: 0
// hint: Which values does its thread add?
extern "C" __global__ void smooth(const float* w, const float* in, float* out, int n, int s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = -s; j <= s; ++j) {
        const int k = i + j;
        if (k >= 0 && k < n) sum += (j == -s || j == s ? 0.5f : 1.0f) * w[j + s] * in[k];
    }
    out[i] = sum;
}
