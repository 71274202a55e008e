// expect: passed
extern "C" __global__ void gray(const unsigned char* rgb, unsigned char* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const unsigned char* const pixel = rgb + (y * width + x) * 3;
        out[x + width * y] = (pixel[0] * 77 + pixel[1] * 150 + pixel[2] * 29 + 128) >> 8;
    }
}
