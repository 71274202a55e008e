extern "C" __global__ void pitch(
    const float* in, float* out,
    int width, int height, int pitch)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = y * pitch + x;
    out[i] = 2 * in[i];
}
