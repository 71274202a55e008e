// expect: wrong
// told: the number of the warp
// 4 blocks of 256 threads, n = 1000, x is random.
// At which lines can the lanes of one warp go
// different ways? End each of them with `// here`.
__device__ float steps(float v)
{
    for (int s = 0; s < 200; ++s)
        v = 0.5f * v + 1;
    return v;
}
extern "C" __global__ void ways(float* x, int n)
{
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;  // here
    if (blockIdx.x == 0) x[i] = steps(x[i]);
    if (t % 2 == 0) x[i] = steps(x[i]);  // here
    if (t / 32 == 3) x[i] = steps(x[i]);  // here
    if (t < 128) x[i] = steps(x[i]);
    if (t < 100) x[i] = steps(x[i]);  // here
    if (n < 500) x[i] = steps(x[i]);
    if (x[i] < 1.5f) x[i] = steps(x[i]);
}
