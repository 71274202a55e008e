// expect: passed
extern "C" __global__ void pitch(const float* in, float* out, int width, int height, int pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float* const from = in + y * pitch;
    float* const to = out + y * pitch;
    to[x] = from[x] + from[x];
}
