// One step: a cell lives in `next` if 3 of its 8
// neighbours live, or if 2 do and it lives itself.
// Cells are 1 or 0, row after row. Beyond the edge
// everything is dead.
extern "C" __global__ void game_of_life(
    const int* now, int* next,
    int rows, int columns)
{
    // The block's cells with a halo of one cell all
    // around: (blockDim.y + 2) rows of
    // (blockDim.x + 2).
    extern __shared__ int tile[];
    const int width = blockDim.x + 2;
    const int column = blockIdx.x * blockDim.x
                     + threadIdx.x;
    const int row = blockIdx.y * blockDim.y
                  + threadIdx.y;
    if (row >= rows || column >= columns) return;

    // This thread's own cell of the tile. No thread
    // fills the halo, and no thread waits.
    int* cell = tile + (threadIdx.y + 1) * width
              + threadIdx.x + 1;
    *cell = now[row * columns + column];

    int living = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy != 0 || dx != 0)
                living += cell[dy * width + dx];
    next[row * columns + column] =
        living == 3 || (living == 2 && *cell == 1);
}
