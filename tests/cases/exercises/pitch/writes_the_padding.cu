// expect: wrong 60
// hint: should be -1
extern "C" __global__ void pitch(const float* in, float* out, int width, int height, int pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < pitch && y < height) out[y * pitch + x] = 2 * in[y * pitch + x];
}
