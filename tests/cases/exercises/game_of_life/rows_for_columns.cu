// hint: have written the same cell of `next`
// Right where both are 64.
// passes: 1
extern "C" __global__ void game_of_life(const int* now, int* next, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int living = 0;
    for (int v = max(y - 1, 0); v <= min(y + 1, rows - 1); ++v)
        for (int u = max(x - 1, 0); u <= min(x + 1, columns - 1); ++u)
            if (u != x || v != y) living += now[v * rows + u];
    next[y * rows + x] = living == 3 || (living == 2 && now[y * rows + x]);  // expect: race
}
