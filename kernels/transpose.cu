// The transpose of a matrix: out[x][y] = in[y][x].
// MODE: 0 directly, 1 through a tile in shared
// memory, 2 of an array of structs (rows of three).
// No transpose: 3 copies a struct of arrays,
// 4 multiplies by a table in constant memory.
#if MODE == 4
__constant__ float table[32] = {
    1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8,
    2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
#endif

extern "C" __global__ void transpose(
    const float* in, float* out,
    int width, int height)
{
#if MODE == 0
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];

#elif MODE == 1
    __shared__ float tile[32][TILE_WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 32 + tx;
    int y = blockIdx.y * 32 + ty;
    if (x < width && y < height)
        tile[ty][tx] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;  // in the result
    y = blockIdx.x * 32 + ty;
    if (x < height && y < width)
        out[y * height + x] = tile[tx][ty];

#elif MODE == 4
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
    const int k = TABLE_BY_ROW ? threadIdx.y : threadIdx.x;
    if (x < width && y < height)
        out[y * width + x] = in[y * width + x] * table[k];

#elif MODE == 3
    const int row = blockIdx.x * blockDim.x
                  + threadIdx.x;
    if (row < height)
        for (int x = 0; x < width; ++x)
            out[x * height + row] = in[x * height + row];

#else  // a thread a row
    const int row = blockIdx.x * blockDim.x
                  + threadIdx.x;
    if (row < height)
        for (int x = 0; x < width; ++x)
            out[x * height + row] = in[row * width + x];
#endif
}
