// One step of the heat equation, tile by tile.
// A neighbour beyond the edge is the cell itself:
// no heat flows out, so the sum is conserved.
#if !FAST  // a thread a cell, a block a tile
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

#else  // no tile: a thread a strip, 4 wide, ROWS high
__device__ float4 four(const float* f,
                       int x, int y, int n)
{
    const float* row = f + min(max(y, 0), n - 1) * n;
    const int last = n - 1;
    if (n % 4 == 0 && x < n)  // aligned: 16 bytes at once
        return *(const float4*)(row + x);
    return make_float4(
        row[min(x, last)],     row[min(x + 1, last)],
        row[min(x + 2, last)], row[min(x + 3, last)]);
}

__device__ void put(float* f, int x, int y, int n,
                    float4 v)
{
    float* to = f + y * n + x;
    if (n % 4 == 0 && x < n) {
        *(float4*)to = v;
        return;
    }
    if (x < n)     to[0] = v.x;
    if (x + 1 < n) to[1] = v.y;
    if (x + 2 < n) to[2] = v.z;
    if (x + 3 < n) to[3] = v.w;
}

// A warp's strips lie side by side, so a neighbour's
// cells come from its registers; only at the ends of
// the warp are they loaded once more.
extern "C" __global__ void diffuse(const float* in,
    float* out, float* lapl, int n, float k)
{
    const int lane = threadIdx.x;
    const int x = 4 * (blockIdx.x * 32 + lane);
    const int y0 = ROWS
        * (blockIdx.y * blockDim.y + threadIdx.y);
    if (y0 >= n) return;  // the whole warp

    float4 row[ROWS + 2];
#pragma unroll
    for (int r = 0; r < ROWS + 2; ++r)
        row[r] = four(in, x, y0 + r - 1, n);

#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const float4 up = row[r], c = row[r + 1];
        const float4 down = row[r + 2];
        const int y = y0 + r;
        const float* mid = in + min(y, n - 1) * n;
        const unsigned all = 0xffffffff;
        float left = __shfl_up_sync(all, c.w, 1);
        float right = __shfl_down_sync(all, c.x, 1);
        if (lane == 0)  left = mid[max(x - 1, 0)];
        if (lane == 31) right = mid[min(x + 4, n - 1)];

        const float4 l = make_float4(
            4 * c.x - left - c.y   - up.x - down.x,
            4 * c.y - c.x  - c.z   - up.y - down.y,
            4 * c.z - c.y  - c.w   - up.z - down.z,
            4 * c.w - c.z  - right - up.w - down.w);
        if (y >= n) continue;
        put(lapl, x, y, n, l);
        put(out, x, y, n, make_float4(
            c.x - k * l.x, c.y - k * l.y,
            c.z - k * l.z, c.w - k * l.w));
    }
}
#endif
