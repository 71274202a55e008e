// hint: neighbouring lanes use places that are far apart
extern "C" __global__ void transpose(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];  // expect: over_limit sectors
}
