// Yours: paste a file over this, or drop one here.

// Mandelbrot's set: steps until a point escapes.
extern "C" __global__ void mandelbrot(
    float* steps, int width, int height, int most)
{
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
    if (x >= width || y >= height) return;

    const float cx = -2.2f + 3.0f * x / width;
    const float cy = -1.5f + 3.0f * y / height;
    float zx = 0, zy = 0;
    int n = 0;
    while (n < most && zx * zx + zy * zy < 4) {
        const float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        ++n;
    }
    steps[y * width + x] = n;
}

// y = a x + y, the classic first program.
extern "C" __global__ void saxpy(
    const float* x, float* y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
