// out is to be the transpose of in, by a tile.
extern "C" __global__ void transpose(
    const float* in, float* out,
    int width, int height)
{
    __shared__ float tile[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 32 + tx;
    const int y = blockIdx.y * 32 + ty;
    if (x < width && y < height)
        tile[ty][tx] = in[y * width + x];
    __syncthreads();
    // This writes along a column: 32 sectors for a
    // warp. Let it write along a row of out.
    if (x < width && y < height)
        out[x * height + y] = tile[ty][tx];
}
