extern "C" __global__ void game_of_life(const int* now, int* next, int rows, int columns)
{
    extern __shared__ int tile[];
    const int width = blockDim.x + 2, cells = width * (blockDim.y + 2);
    const int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    const int row = top + threadIdx.y, column = left + threadIdx.x;
    if (row >= rows || column >= columns) return;
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < cells; t += blockDim.x * blockDim.y) {
        const int y = top + t / width - 1, x = left + t % width - 1;
        tile[t] = y >= 0 && y < rows && x >= 0 && x < columns ? now[y * columns + x] : 0;
    }
    __syncthreads();  // expect: sync
    const int* cell = tile + (threadIdx.y + 1) * width + threadIdx.x + 1;
    int living = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy != 0 || dx != 0) living += cell[dy * width + dx];
    next[row * columns + column] = living == 3 || (living == 2 && *cell == 1);
}
// passes: 2
