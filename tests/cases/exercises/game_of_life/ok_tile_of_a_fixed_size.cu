// expect: passed
extern "C" __global__ void game_of_life(const int* now, int* next, int rows, int columns)
{
    __shared__ unsigned char tile[18][18];
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int v = threadIdx.y; v < blockDim.y + 2; v += blockDim.y)
        for (int u = threadIdx.x; u < blockDim.x + 2; u += blockDim.x) {
            const int gx = (int)(blockIdx.x * blockDim.x) + u - 1, gy = (int)(blockIdx.y * blockDim.y) + v - 1;
            tile[v][u] = gx < 0 || gy < 0 || gx >= columns || gy >= rows ? 0 : now[gy * columns + gx];
        }
    __syncthreads();
    if (x < columns && y < rows) {
        int living = 0;
        for (int k = 0; k < 9; ++k) living += k == 4 ? 0 : tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
        next[y * columns + x] = living == 3 || living == 2 && tile[threadIdx.y + 1][threadIdx.x + 1];
    }
}
