extern "C" __global__ void game_of_life(
    const int* now, int* next,
    int rows, int columns)
{
    extern __shared__ int tile[];
    const int width = blockDim.x + 2;
    const int cells = width * (blockDim.y + 2);
    const int threads = blockDim.x * blockDim.y;
    const int left = blockIdx.x * blockDim.x;
    const int top = blockIdx.y * blockDim.y;
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    for (; t < cells; t += threads) {
        const int y = top + t / width - 1;
        const int x = left + t % width - 1;
        const bool inside = y >= 0 && y < rows
                         && x >= 0 && x < columns;
        tile[t] = inside ? now[y * columns + x] : 0;
    }
    __syncthreads();

    const int row = top + threadIdx.y;
    const int column = left + threadIdx.x;
    if (row >= rows || column >= columns) return;
    const int* cell = tile + threadIdx.x + 1
                    + (threadIdx.y + 1) * width;
    int living = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy != 0 || dx != 0)
                living += cell[dy * width + dx];
    next[row * columns + column] =
        living == 3 || (living == 2 && *cell == 1);
}
