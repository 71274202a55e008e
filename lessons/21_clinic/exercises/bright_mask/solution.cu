extern "C" __global__ void bright_mask(
    const unsigned char* image, const int* limit,
    unsigned char* mask, int width, int height)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x < width && y < height) {
        const int at = y * width + x;
        mask[at] = image[at] > limit[y] ? 255 : 0;
    }
}
