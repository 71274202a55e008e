// expect: wrong 1
// hint: not the sum of its row
extern "C" __global__ void tile_matmul(const float* a, const float* b, float* c, int m, int k, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.x * 16 + tx, x = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int i = 0; i < k; i += 16) {
        ta[ty][tx] = x < m && i + tx < k ? a[x * k + i + tx] : 0;
        tb[ty][tx] = i + ty < k && y < n ? b[(i + ty) * n + y] : 0;
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += ta[tx][j] * tb[j][ty];
        __syncthreads();
    }
    if (x < m && y < n) c[x * n + y] = sum;
}
