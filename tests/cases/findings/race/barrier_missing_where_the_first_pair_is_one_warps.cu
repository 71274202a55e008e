// Readers of the warp's own rows race first, those of other warps' columns as well: a barrier of the warp would only move the race.
// launch: steps --grid 1 --block 16,16 --arg float32[1024]=iota --arg float32[256]=zeros
__global__ void steps(const float* in, float* out)
{
    __shared__ float row[16][16], column[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
        row[y][x] = in[i * 256 + 16 * y + x];     // expect: race shared put __syncthreads(), or __syncwarp() where only lanes of one warp share the data, behind line 12
        column[y][x] = in[i * 256 + 16 * x + y];  // expect: race shared put __syncthreads()
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += row[y][j] * column[j][x];
    }
    out[16 * y + x] = sum;
}
