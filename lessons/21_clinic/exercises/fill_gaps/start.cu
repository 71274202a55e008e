// A value below 0 is a gap. out[i] is to be in[i],
// but a gap becomes the mean of the values of its
// block that are no gaps, or 0 if there are none.
extern "C" __global__ void fill_gaps(
    const int* in, int* out)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    const int mine = in[i];

    s[t] = mine < 0 ? 0 : mine;  // first their sum
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    const int sum = s[0];

    s[t] = mine < 0 ? 0 : 1;  // then their number
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    const int count = s[0];

    out[i] = mine < 0 ? sum / max(count, 1) : mine;
}
