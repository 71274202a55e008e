// expect: wrong 60
extern "C" __global__ void pitch(const float* in, float* out, int width, int height, int pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = 2 * in[y * width + x];
}
