// c = a * b: a has m rows of k numbers, b k rows
// of n. It is right, but it reads too much.
extern "C" __global__ void tile_matmul(
    const float* a, const float* b, float* c,
    int m, int k, int n)
{
    const int y = blockIdx.x * 16 + threadIdx.x;
    const int x = blockIdx.y * 16 + threadIdx.y;
    if (x >= m || y >= n) return;
    float sum = 0;
    for (int j = 0; j < k; ++j)
        sum += a[x * k + j] * b[j * n + y];
    c[x * n + y] = sum;
}
