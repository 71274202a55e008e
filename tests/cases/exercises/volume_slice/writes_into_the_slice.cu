extern "C" __global__ void volume_slice(const int* volume, int* out, int width, int height, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = (k * height + y) * width + x;
    out[i] = volume[i];  // expect: memory
}
