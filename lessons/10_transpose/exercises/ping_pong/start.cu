// In each step a value becomes the mean of its two
// neighbours. One block; two arrays in turn.
extern "C" __global__ void ping_pong(
    const float* in, float* out, int n, int steps)
{
    __shared__ float s[2][256];
    const int i = threadIdx.x;
    const int left = max(i - 1, 0);
    const int right = min(i + 1, n - 1);
    if (i < n) s[0][i] = in[i];
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        // Every step reads the first array. Which
        // one should it read, and which write?
        if (i < n)
            s[1][i] =
                (s[0][left] + s[0][right]) / 2;
        __syncthreads();
    }
    // Which array holds the result?
    if (i < n) out[i] = s[0][i];
}
