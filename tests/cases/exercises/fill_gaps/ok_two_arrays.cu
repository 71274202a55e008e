// expect: passed
extern "C" __global__ void fill_gaps(const int* in, int* out)
{
    __shared__ int s[256], c[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, mine = in[i];
    s[t] = mine < 0 ? 0 : mine;
    c[t] = mine < 0 ? 0 : 1;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
            c[t] += c[t + half];
        }
        __syncthreads();
    }
    out[i] = mine < 0 ? s[0] / max(c[0], 1) : mine;
}
