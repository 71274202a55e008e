// Twelve small kernels, each with one mistake.
// CASE: which one, 1 to 12. MENDED: corrected.

#if CASE == 1
// Every value twice as large.
// Author: Only the first 256 values are computed
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
#if MENDED
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#else
    const int i = threadIdx.x;
#endif
    if (i < n) out[i] = 2 * x[i];
}

#elif CASE == 2
// Every block's values, the last one first.
// Author: Right with 32 threads, wrong with 256
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int first = blockIdx.x * blockDim.x;
    s[t] = x[first + t];
#if MENDED
    __syncthreads();
#endif
    out[first + t] = s[blockDim.x - 1 - t];
}

#elif CASE == 3
// By how much each value is greater than the one
// before it in its block.
// Author: Right, and yet it stops on another GPU
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
#if MENDED
    if (i < n) s[t] = x[i];
    __syncthreads();
    if (i < n) out[i] = t > 0 ? s[t] - s[t - 1] : 0;
#else
    if (i < n) {
        s[t] = x[i];
        __syncthreads();
        out[i] = t > 0 ? s[t] - s[t - 1] : 0;
    }
#endif
}

#elif CASE == 4
// Each value and the next one, added.
// Author: Each block's last sum is wrong
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
#if MENDED
    __shared__ int s[257];
#else
    __shared__ int s[256];
#endif
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    s[t] = x[i];
#if MENDED
    if (t == 255) s[256] = i + 1 < n ? x[i + 1] : 0;
#endif
    __syncthreads();
    out[i] = s[t] + s[t + 1];
}

#elif CASE == 5
// The sum of every block's values.
// Author: It was right for weeks, and now it is not
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    __shared__ int sum;
    const int t = threadIdx.x;
#if MENDED
    if (t == 0) sum = 0;
    __syncthreads();
#endif
    atomicAdd(&sum, x[blockIdx.x * blockDim.x + t]);
    __syncthreads();
    if (t == 0) out[blockIdx.x] = sum;
}

#elif CASE == 6
// An image with rows of 48 points: dark becomes
// bright.
// Author: Right for square images only
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    const int width = 48, height = n / width;
#if MENDED
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
#else
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
#endif
    if (col < width && row < height) {
        const int at = row * width + col;
        out[at] = 256 - x[at];
    }
}

#elif CASE == 7
// Each value in thousandths of 4,096, rounded down.
// Author: Large values become negative
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if MENDED
    const long long product = 1000LL * x[i];
#else
    const int product = 1000 * x[i];
#endif
    if (i < n) out[i] = product / 4096;
}

#elif CASE == 8
// The sum of every block's values: a tree.
// Author: Right with 256 threads, wrong with 250
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
#if MENDED
    for (int width = blockDim.x; width > 1;) {
        const int half = (width + 1) / 2;
        if (t < width / 2) s[t] += s[t + half];
        __syncthreads();
        width = half;
    }
#else
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
#endif
    if (t == 0) out[blockIdx.x] = s[0];
}

#elif CASE == 9
// Each value in millionths of the sum of all.
// out[n] is the sum, and out[n + 1] counts the
// blocks that have added.
// Author: It never ends, but only with many blocks
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += stride)
        atomicAdd(&out[n], x[i]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&out[n + 1], 1);
        while (atomicAdd(&out[n + 1], 0) < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    const int sum = atomicAdd(&out[n], 0);
    for (int i = first; i < n; i += stride)
        out[i] = 1000000 * x[i] / sum;
}

#elif CASE == 10
// Odd values become 0, in reverse order.
// Author: Right with 256 threads, an error with 250
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    // A byte and an int for each thread of the block.
    extern __shared__ int dynamic[];
#if MENDED
    int* value = dynamic;
    char* odd = (char*)(value + blockDim.x);
#else
    char* odd = (char*)dynamic;
    int* value = (int*)(odd + blockDim.x);
#endif
    const int t = threadIdx.x, other = blockDim.x - 1 - t;
    const int first = blockIdx.x * blockDim.x;
    value[t] = x[first + t];
    odd[t] = x[first + t] & 1;
    __syncthreads();
    out[first + t] = odd[other] ? 0 : value[other];
}

#elif CASE == 11
// On a ring: each value and both its neighbours,
// added, and then once more.
// Author: Wrong only beside another block
__device__ int of_three(const int* x, int n, int i)
{
    const int left = (i + n - 1) % n, right = (i + 1) % n;
    return x[left] + x[(i + n) % n] + x[right];
}
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    __shared__ int s[66];  // 64, and one more at each end
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    s[t + 1] = x[i];
    if (t == 0) s[0] = x[(i + n - 1) % n];
    if (t == 63) s[65] = x[(i + 1) % n];
    __syncthreads();
    const int sum = s[t] + s[t + 1] + s[t + 2];
    __syncthreads();
    s[t + 1] = sum;
#if MENDED
    if (t == 0) s[0] = of_three(x, n, i - 1);
    if (t == 63) s[65] = of_three(x, n, i + 1);
#endif
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

#else
// How far each value is from its block's greatest
// and smallest one, added.
// Author: Other results in every run
extern "C" __global__ void broken(
    const int* x, int n, int* out)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int mine = x[blockIdx.x * blockDim.x + t];
    s[t] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] = max(s[t], s[t + half]);
        __syncthreads();
    }
    const int most = s[0];
#if MENDED
    __syncthreads();
#endif
    s[t] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] = min(s[t], s[t + half]);
        __syncthreads();
    }
    const int least = s[0];
    out[blockIdx.x * blockDim.x + t] =
        (most - mine) + (mine - least);
}
#endif
