// passes: 0
extern "C" __global__ void fill_gaps(const int* in, int* out)
{
    __shared__ int s[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, mine = in[i];
    s[t] = mine < 0 ? 0 : mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    const int sum = s[0];
    __syncwarp();
    s[t] = mine < 0 ? 0 : 1;  // expect: race
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    out[i] = mine < 0 ? sum / max(s[0], 1) : mine;
}
