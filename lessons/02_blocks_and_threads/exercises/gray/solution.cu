extern "C" __global__ void gray(
    const unsigned char* rgb, unsigned char* out,
    int width, int height)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = y * width + x;
    const int r = rgb[3 * i];
    const int g = rgb[3 * i + 1];
    const int b = rgb[3 * i + 2];
    const int sum = 77 * r + 150 * g + 29 * b;
    out[i] = (sum + 128) / 256;
}
