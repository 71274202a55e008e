// One step of the heat equation, tile by tile.
// A neighbour beyond the edge is the cell itself:
// no heat flows out, so the sum is conserved.
__device__ float cell(const float* f,
                      int x, int y, int n)
{
    x = min(max(x, 0), n - 1);
    y = min(max(y, 0), n - 1);
    return f[y * n + x];
}

extern "C" __global__ void diffuse(float* in,
    float* out, float* lapl, int n, float k)
{
    __shared__ float s[TILE + 2][TILE + 2];
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    const int i = threadIdx.x + 1;
    const int j = threadIdx.y + 1;
    s[j][i] = cell(in, x, y, n);
    if (i == 1)    s[j][0]   = cell(in, x-1, y, n);
    if (i == TILE) s[j][i+1] = cell(in, x+1, y, n);
    if (j == 1)    s[0][i]   = cell(in, x, y-1, n);
    if (j == TILE) s[j+1][i] = cell(in, x, y+1, n);
#if SYNC
    __syncthreads();
#endif
    if (x >= n || y >= n) return;
    const float l = 4 * s[j][i] - s[j][i-1] - s[j][i+1]
                                - s[j-1][i] - s[j+1][i];
    lapl[y * n + x] = l;
#if IN_PLACE
    in[y * n + x] = s[j][i] - k * l;
#else
    out[y * n + x] = s[j][i] - k * l;
#endif
}
