# The transpose of a matrix: out[x][y] = in[y][x].
# MODE: 0 directly, 1 through a tile in shared
# memory, 2 of an array of structs (rows of three).
# No transpose: 3 copies a struct of arrays,
# 4 multiplies by a table in constant memory.
import numpy as np
from numba import cuda, float32

TABLE = np.float32([1, 2, 4, 8] * 4 + [2, 4, 8, 1] * 4)

if MODE == 0:

    @cuda.jit
    def transpose(in_, out, width, height):
        x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
        y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
        if x < width and y < height:
            out[x * height + y] = in_[y * width + x]

elif MODE == 1:

    @cuda.jit
    def transpose(in_, out, width, height):
        tile = cuda.shared.array((32, TILE_WIDTH), float32)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        x = cuda.blockIdx.x * 32 + tx
        y = cuda.blockIdx.y * 32 + ty
        if x < width and y < height:
            tile[ty, tx] = in_[y * width + x]
        cuda.syncthreads()
        x = cuda.blockIdx.y * 32 + tx  # in the result
        y = cuda.blockIdx.x * 32 + ty
        if x < height and y < width:
            out[y * height + x] = tile[tx, ty]

elif MODE == 4:

    @cuda.jit
    def transpose(in_, out, width, height):
        table = cuda.const.array_like(TABLE)
        x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
        y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
        k = cuda.threadIdx.y if TABLE_BY_ROW else cuda.threadIdx.x
        if x < width and y < height:
            out[y * width + x] = in_[y * width + x] * table[k]

elif MODE == 3:

    @cuda.jit
    def transpose(in_, out, width, height):
        row = cuda.grid(1)
        if row < height:
            for x in range(width):
                out[x * height + row] = in_[x * height + row]

else:  # a thread a row

    @cuda.jit
    def transpose(in_, out, width, height):
        row = cuda.grid(1)
        if row < height:
            for x in range(width):
                out[x * height + row] = in_[row * width + x]
