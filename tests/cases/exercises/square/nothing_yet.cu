// expect: wrong 0
// passes: 0
// told: as it was before the launch: no thread wrote it. All 4096 elements are wrong.
// hint: No thread has written to `out` yet
// writer: no thread
extern "C" __global__ void square(const float* in, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        x *= x;
    }
}
