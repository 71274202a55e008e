// expect: wrong 0
// passes: 0
// hint: beyond it stands the end itself
__device__ float at(const float* in, int n, int i) { return in[min(max(i, 0), n - 1)]; }
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    once[i] = (at(in, n, i - 1) + in[i] + at(in, n, i + 1)) / 3;
    twice[i] = (at(in, n, i - 2) + 2 * at(in, n, i - 1) + 3 * in[i] + 2 * at(in, n, i + 1) + at(in, n, i + 2)) / 9;
}
