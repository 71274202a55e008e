// out[y] = the sum of column y of the matrix A * B.
// A has m rows of k, B has k rows of n numbers.
// VERSION: 0 a thread an element, 1 through tiles,
// 2, 3 tiles and registers, 4 a row times B.
// 1 as it was found, or mended: LESS: its guards,
// WHOLE: its loop, FLOAT: its sum,
// ALONG_ROWS: which way its lanes go.
#define SIDE 16  // side of a tile

#if VERSION == 0  // a thread an element of A * B
extern "C" __global__ void product(
    const float* A, const float* B, float* out,
    int m, int k, int n)
{
    const int x = blockIdx.x * SIDE + threadIdx.y;
    const int y = blockIdx.y * SIDE + threadIdx.x;
    if (x >= m || y >= n) return;
    float sum = 0;
    for (int j = 0; j < k; ++j)
        sum += A[x * k + j] * B[j * n + y];
    atomicAdd(&out[y], sum);
}

#elif VERSION == 1  // through tiles
#if LESS
#define IN <
#else
#define IN <=
#endif
extern "C" __global__ void product(
    const float* A, const float* B, float* out,
    int m, int k, int n)
{
    __shared__ float sA[SIDE][SIDE], sB[SIDE][SIDE];
    __shared__ float sC[SIDE][SIDE];
#if ALONG_ROWS
    const int tx = threadIdx.y, ty = threadIdx.x;
#else
    const int tx = threadIdx.x, ty = threadIdx.y;
#endif
    const int x = blockIdx.x * SIDE + tx;  // of A
    const int y = blockIdx.y * SIDE + ty;  // of B
#if WHOLE
    const int tiles = (k + SIDE - 1) / SIDE;
#else
    const int tiles = gridDim.x;
#endif
#if FLOAT
    float sum = 0;
#else
    double sum = 0;
#endif
    for (int i = 0; i < tiles; ++i) {
        const int a = i * SIDE + ty;  // in A
        const int b = i * SIDE + tx;  // in B
        sA[tx][ty] = x IN m && a IN k
                   ? A[x * k + a] : 0;
        sB[tx][ty] = b IN k && y IN n
                   ? B[b * n + y] : 0;
        __syncthreads();
        for (int j = 0; j < SIDE; ++j)
            sum += sA[tx][j] * sB[j][ty];
        __syncthreads();
    }
    sC[tx][ty] = sum;
    __syncthreads();
    for (int gap = 1; gap < SIDE; gap *= 2) {
        if (tx % (2 * gap) == 0)
            sC[tx][ty] += sC[tx + gap][ty];
        __syncthreads();
    }
    if (tx == 0 && y < n)
        atomicAdd(&out[y], sC[0][ty]);
}

#elif VERSION <= 3  // a thread has R x R elements
#define R (VERSION == 2 ? 2 : 4)
extern "C" __global__ void product(
    const float* A, const float* B, float* out,
    int m, int k, int n)
{
    __shared__ float sA[R * SIDE][SIDE];
    __shared__ float sB[SIDE][R * SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * R * SIDE + ty;
    const int me = ty * SIDE + tx;
    const int row = me / (R * SIDE);  // of B's tile
    const int column = me % (R * SIDE);
    const int y = blockIdx.y * R * SIDE + column;
    float sum[R][R] = {}, a[R], b[R];
    for (int i = 0; i < k; i += SIDE) {
        for (int r = 0; r < R; ++r) {
            const int ax = x + r * SIDE, ay = i + tx;
            const int bx = i + row + r * SIDE / R;
            a[r] = ax < m && ay < k
                 ? A[ax * k + ay] : 0;
            b[r] = bx < k && y < n
                 ? B[bx * n + y] : 0;
        }
        __syncthreads();  // the last tiles are used
        for (int r = 0; r < R; ++r) {
            sA[ty + r * SIDE][tx] = a[r];
            sB[row + r * SIDE / R][column] = b[r];
        }
        __syncthreads();
        for (int j = 0; j < SIDE; ++j) {
            for (int r = 0; r < R; ++r) {
                a[r] = sA[ty + r * SIDE][j];
                b[r] = sB[j][tx + r * SIDE];
            }
            for (int r = 0; r < R; ++r)
                for (int c = 0; c < R; ++c)
                    sum[r][c] += a[r] * b[c];
        }
    }
    __syncthreads();
    for (int c = 0; c < R; ++c) {
        float part = 0;
        for (int r = 0; r < R; ++r)
            part += sum[r][c];
        sB[ty][tx + c * SIDE] = part;
    }
    __syncthreads();
    if (row > 0 || y >= n) return;
    float all = 0;
    for (int r = 0; r < SIDE; ++r)
        all += sB[r][column];
    atomicAdd(&out[y], all);
}

#else  // A has one row: blocks share the rows of B
extern "C" __global__ void product(
    const float* A, const float* B, float* out,
    int m, int k, int n)
{
    const int y = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (y >= n) return;
    float sum = 0;
    for (int j = blockIdx.y; j < k; j += gridDim.y)
        sum += A[j] * B[j * n + y];
    atomicAdd(&out[y], sum);
}
#endif
