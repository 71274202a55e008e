// told: at the end of each turn of the loop, outside any `if`
extern "C" __global__ void ping_pong(const float* in, float* out, int n, int steps)
{
    __shared__ float s[2][256];
    const int i = threadIdx.x, left = max(i - 1, 0), right = min(i + 1, n - 1);
    if (i < n) s[0][i] = in[i];
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        if (i < n) s[(step + 1) % 2][i] = (s[step % 2][left] + s[step % 2][right]) / 2;  // expect: race
    }
    if (i < n) out[i] = s[steps % 2][i];
}
