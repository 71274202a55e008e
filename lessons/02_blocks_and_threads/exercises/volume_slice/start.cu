// out is to be slice k of the volume.
extern "C" __global__ void volume_slice(
    const int* volume, int* out,
    int width, int height, int k)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x >= width || y >= height) return;
    // This is slice 0. How many elements lie before
    // slice k?
    out[y * width + x] = volume[y * width + x];
}
