// expect: passed
extern "C" __global__ void bright_mask(const unsigned char* image, const int* limit, unsigned char* mask, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || column >= width) return;
    const unsigned char* from = image + row * width;
    unsigned char* to = mask + row * width;
    to[column] = from[column] > limit[row] ? 255 : 0;
}
