// expect: passed
extern "C" __global__ void shift(const int* in, int* out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int left = 0;
        if (i) left = in[i - 1];
        out[i] = left;
    }
}
