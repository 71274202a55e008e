// The error is gone, and so is a part of the image.
// passes: 2
extern "C" __global__ void bright_mask(const unsigned char* image, const int* limit, unsigned char* mask, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int at = x * width + y;
    if (x < width && y < height && at < width * height && x < height)
        mask[at] = image[at] > limit[x] ? 255 : 0;  // expect: wrong 40
}
