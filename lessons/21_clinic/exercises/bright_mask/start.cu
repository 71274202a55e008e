// mask is to be 255 where a point of the image is
// brighter than the limit of its row, 0 elsewhere.
// Both have height rows of width points.
extern "C" __global__ void bright_mask(
    const unsigned char* image, const int* limit,
    unsigned char* mask, int width, int height)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x < width && y < height) {
        const int at = x * width + y;
        mask[at] = image[at] > limit[x] ? 255 : 0;
    }
}
