from numba import cuda, float32


# Mandelbrot's set: steps until a point escapes.
@cuda.jit
def mandelbrot(steps, width, height, most):
    x, y = cuda.grid(2)
    if x >= width or y >= height:
        return

    cx = float32(-2.2) + float32(3) * float32(x) / float32(width)
    cy = float32(-1.5) + float32(3) * float32(y) / float32(height)
    zx = zy = float32(0)
    n = 0
    while n < most and zx * zx + zy * zy < float32(4):
        zx, zy = zx * zx - zy * zy + cx, float32(2) * zx * zy + cy
        n += 1
    steps[y * width + x] = n


# y = a x + y, the classic first program.
@cuda.jit
def saxpy(x, y, a, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]
