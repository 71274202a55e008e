// expect: wrong 48
// hint: No thread has written out[48]
// writer: no thread
extern "C" __global__ void gray(const unsigned char* rgb, unsigned char* out, int width, int height)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = y * width + x;
    out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) / 256;
}
