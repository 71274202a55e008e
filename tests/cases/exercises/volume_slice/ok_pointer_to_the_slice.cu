// expect: passed
extern "C" __global__ void volume_slice(const int* volume, int* out, int width, int height, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int* const slice = volume + k * height * width;
    out[x + y * width] = slice[x + y * width];
}
