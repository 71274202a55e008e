// passes: 0
// hint: wider than one
__device__ float mean(const float* in, int i) { return (in[i - 1] + in[i] + in[i + 1]) / 3; }  // expect: memory
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    once[i] = (in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)]) / 3;
    twice[i] = (mean(in, max(i - 1, 0)) + once[i] + mean(in, min(i + 1, n - 1))) / 3;
}
