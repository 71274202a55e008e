// told: Read into a variable first
// hint: A thread reads a value of shared memory that another thread writes
extern "C" __global__ void ping_pong(const float* in, float* out, int n, int steps)
{
    __shared__ float s[2][256];
    const int i = threadIdx.x, left = max(i - 1, 0), right = min(i + 1, n - 1);
    if (i < n) s[0][i] = in[i];
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        if (i < n) s[0][i] = (s[0][left] + s[0][right]) / 2;  // expect: race
        __syncthreads();
    }
    if (i < n) out[i] = s[0][i];
}
