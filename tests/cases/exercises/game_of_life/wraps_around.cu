// The edges joined: a torus, which nobody asked for.
// expect: wrong 0
extern "C" __global__ void game_of_life(const int* now, int* next, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int living = 0;
    for (int k = 0; k < 9; ++k)
        if (k != 4) living += now[(y + rows + k / 3 - 1) % rows * columns + (x + columns + k % 3 - 1) % columns];
    next[y * columns + x] = living == 3 || (living == 2 && now[y * columns + x]);
}
