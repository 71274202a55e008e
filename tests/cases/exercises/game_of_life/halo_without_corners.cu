// passes: 0
extern "C" __global__ void game_of_life(const int* now, int* next, int rows, int columns)
{
    extern __shared__ int tile[];
    const int width = blockDim.x + 2;
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const auto at = [&](int y, int x) { return y >= 0 && y < rows && x >= 0 && x < columns ? now[y * columns + x] : 0; };
    int* cell = tile + (threadIdx.y + 1) * width + threadIdx.x + 1;
    *cell = at(row, column);
    if (threadIdx.x == 0) cell[-1] = at(row, column - 1);
    if (threadIdx.y == 0) cell[-width] = at(row - 1, column);
    if (threadIdx.x == blockDim.x - 1) cell[1] = at(row, column + 1);
    if (threadIdx.y == blockDim.y - 1) cell[width] = at(row + 1, column);
    __syncthreads();
    if (row >= rows || column >= columns) return;
    int living = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy != 0 || dx != 0) living += cell[dy * width + dx];  // expect: init
    next[row * columns + column] = living == 3 || (living == 2 && *cell == 1);
}
