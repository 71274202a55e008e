// c = a · b, all n × n: a block computes a tile of c, and walks along a and b tile by tile.
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        tile_a[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0;
        tile_b[y][x] = t + y < n && column < n ? b[(t + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
