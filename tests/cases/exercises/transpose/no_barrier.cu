// told: Put __syncthreads() between line
extern "C" __global__ void transpose(const float* in, float* out, int width, int height)
{
    __shared__ float tile[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    if (x < width && y < height) tile[ty][tx] = in[y * width + x];
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32 + ty;
    if (x < height && y < width) out[y * height + x] = tile[tx][ty];  // expect: init
}
