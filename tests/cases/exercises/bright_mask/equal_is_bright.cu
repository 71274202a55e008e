// expect: wrong 118
// passes: 0
extern "C" __global__ void bright_mask(const unsigned char* image, const int* limit, unsigned char* mask, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        mask[y * width + x] = image[y * width + x] >= limit[y] ? 255 : 0;
}
