# out[y] = the sum of column y of the matrix A * B.
# A has m rows of k, B has k rows of n numbers.
# VERSION: 0 a thread an element, 1 through tiles,
# 2, 3 tiles and registers, 4 a row times B.
# 1 as it was found, or mended: LESS: its guards,
# WHOLE: its loop, FLOAT: its sum,
# ALONG_ROWS: which way its lanes go.
from numba import cuda, float32, float64

SIDE = 16  # side of a tile
R = 2 if VERSION == 2 else 4
RS = R * SIDE

if VERSION == 0:  # a thread an element of A * B

    @cuda.jit
    def product(A, B, out, m, k, n):
        x = cuda.blockIdx.x * SIDE + cuda.threadIdx.y
        y = cuda.blockIdx.y * SIDE + cuda.threadIdx.x
        if x >= m or y >= n:
            return
        total = float32(0)
        for j in range(k):
            total += A[x, j] * B[j, y]
        cuda.atomic.add(out, y, total)

elif VERSION == 1:  # through tiles

    @cuda.jit(device=True)
    def inside(i, size):
        return i < size if LESS else i <= size

    @cuda.jit
    def product(A, B, out, m, k, n):
        sA = cuda.shared.array((SIDE, SIDE), float32)
        sB = cuda.shared.array((SIDE, SIDE), float32)
        sC = cuda.shared.array((SIDE, SIDE), float32)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        if ALONG_ROWS:
            tx = cuda.threadIdx.y
            ty = cuda.threadIdx.x
        x = cuda.blockIdx.x * SIDE + tx  # row of A
        y = cuda.blockIdx.y * SIDE + ty  # column of B
        tiles = cuda.gridDim.x
        if WHOLE:
            tiles = (k + SIDE - 1) // SIDE
        total = float32(0) if FLOAT else float64(0)
        for i in range(tiles):
            a = i * SIDE + ty
            b = i * SIDE + tx
            sA[tx, ty] = 0
            if inside(x, m) and inside(a, k):
                sA[tx, ty] = A[x, a]
            sB[tx, ty] = 0
            if inside(b, k) and inside(y, n):
                sB[tx, ty] = B[b, y]
            cuda.syncthreads()
            for j in range(SIDE):
                total += sA[tx, j] * sB[j, ty]
            cuda.syncthreads()
        sC[tx, ty] = total
        cuda.syncthreads()
        gap = 1
        while gap < SIDE:
            if tx % (2 * gap) == 0:
                sC[tx, ty] += sC[tx + gap, ty]
            gap *= 2
            cuda.syncthreads()
        if tx == 0 and y < n:
            cuda.atomic.add(out, y, sC[0, ty])

elif VERSION <= 3:  # a thread has R x R elements

    @cuda.jit
    def product(A, B, out, m, k, n):
        sA = cuda.shared.array((RS, SIDE), float32)
        sB = cuda.shared.array((SIDE, RS), float32)
        sums = cuda.local.array((R, R), float32)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        x = cuda.blockIdx.x * RS + ty
        me = ty * SIDE + tx
        row = me // RS  # of B's tile
        column = me % RS
        y = cuda.blockIdx.y * RS + column
        for r in range(R):
            for c in range(R):
                sums[r, c] = 0
        for i in range(0, k, SIDE):
            cuda.syncthreads()
            for r in range(R):
                ax = x + r * SIDE
                ay = i + tx
                br = row + r * SIDE // R
                sA[ty + r * SIDE, tx] = 0
                if ax < m and ay < k:
                    sA[ty + r * SIDE, tx] = A[ax, ay]
                sB[br, column] = 0
                if i + br < k and y < n:
                    sB[br, column] = B[i + br, y]
            cuda.syncthreads()
            for j in range(SIDE):
                for r in range(R):
                    a = sA[ty + r * SIDE, j]
                    for c in range(R):
                        b = sB[j, tx + c * SIDE]
                        sums[r, c] += a * b
        cuda.syncthreads()
        for c in range(R):
            part = float32(0)
            for r in range(R):
                part += sums[r, c]
            sB[ty, tx + c * SIDE] = part
        cuda.syncthreads()
        if row > 0 or y >= n:
            return
        total = float32(0)
        for r in range(SIDE):
            total += sB[r, column]
        cuda.atomic.add(out, y, total)

else:  # A has one row: blocks share the rows of B

    @cuda.jit
    def product(A, B, out, m, k, n):
        y = cuda.grid(1)
        if y >= n:
            return
        total = float32(0)
        slices = cuda.gridDim.y
        for j in range(cuda.blockIdx.y, k, slices):
            total += A[j] * B[j, y]
        cuda.atomic.add(out, y, total)
