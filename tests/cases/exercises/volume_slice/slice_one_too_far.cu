// expect: wrong 0
extern "C" __global__ void volume_slice(const int* volume, int* out, int width, int height, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * width + x] = volume[((k + 1) * height + y) * width + x];
}
