// expect: passed
extern "C" __global__ void transpose(const float* in, float* out, int width, int height)
{
    __shared__ float tile[32 * 33];
    const int c = threadIdx.x, r = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
    if (left + c < width && top + r < height) tile[c * 33 + r] = in[(top + r) * width + left + c];
    __syncthreads();
    if (top + c < height && left + r < width) out[(left + r) * height + top + c] = tile[r * 33 + c];
}
