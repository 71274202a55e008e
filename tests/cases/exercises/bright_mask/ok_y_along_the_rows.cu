// Slower, but right: the roles are swapped everywhere, and the strides reach all points.
// expect: passed
extern "C" __global__ void bright_mask(const unsigned char* image, const int* limit, unsigned char* mask, int width, int height)
{
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < height; row += gridDim.x * blockDim.x)
        for (int column = blockIdx.y * blockDim.y + threadIdx.y; column < width; column += gridDim.y * blockDim.y)
            mask[row * width + column] = image[row * width + column] > limit[row] ? 255 : 0;
}
