// The mean of the values that there are: the ends divide by 2.
// expect: wrong 0
// passes: 1
// hint: Only the two ends are wrong
extern "C" __global__ void blur1d(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = in[i];
    int values = 1;
    if (i > 0) sum += in[i - 1], ++values;
    if (i < n - 1) sum += in[i + 1], ++values;
    out[i] = sum / values;
}
