// Doubles every element of a padded image.
extern "C" __global__ void pitch(
    const float* in, float* out,
    int width, int height, int pitch)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x >= width || y >= height) return;
    // Rows of an image without padding. Where does
    // row y begin in this one?
    const int i = y * width + x;
    out[i] = 2 * in[i];
}
