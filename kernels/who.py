# Every cell of out gets the number of the thread
# that writes it, counted over the whole grid.
from numba import cuda


@cuda.jit
def who(out, width, height, depth):
    x, y, z = cuda.grid(3)
    if SWAPPED:
        x, y = y, x
    if GUARD and (x >= width or y >= height or z >= depth):
        return
    if WRONG_ROW:
        cell = (z * height + y) * height + x
    else:
        cell = (z * height + y) * width + x
    block = (
        cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
    ) * cuda.gridDim.x + cuda.blockIdx.x
    thread = (
        cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y
    ) * cuda.blockDim.x + cuda.threadIdx.x
    threads = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    out[cell] = block * threads + thread
