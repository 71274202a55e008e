# Counts x in m equal bins of [lo, hi).
import math

from numba import cuda, float32, int32


@cuda.jit(device=True)
def bin_of(value, lo, hi, m):
    width = (hi - lo) / float32(m)
    return int(math.floor((value - lo) / width))


if FAST:  # COPIES of a block's bins, side by side

    @cuda.jit
    def histogram(x, n, lo, hi, bins, m):
        copies = cuda.shared.array(0, int32)
        thread = cuda.threadIdx.x
        for c in range(thread, m * COPIES, cuda.blockDim.x):
            copies[c] = 0
        cuda.syncthreads()

        mine = thread % COPIES
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            b = bin_of(x[i], lo, hi, m)
            if b >= 0 and b < m:
                cuda.atomic.add(copies, b * COPIES + mine, 1)
        cuda.syncthreads()

        for b in range(thread, m, cuda.blockDim.x):
            total = 0  # each b begins in another bank
            for c in range(COPIES):
                total += copies[b * COPIES + (b + c) % COPIES]
            cuda.atomic.add(bins, b, total)

elif SHARED_BINS:  # a block first counts for itself

    @cuda.jit
    def histogram(x, n, lo, hi, bins, m):
        mine = cuda.shared.array(0, int32)
        thread = cuda.threadIdx.x
        for b in range(thread, m, cuda.blockDim.x):
            mine[b] = 0
        cuda.syncthreads()

        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            b = bin_of(x[i], lo, hi, m)
            if b >= 0 and b < m:
                if ATOMIC:
                    cuda.atomic.add(mine, b, 1)
                else:
                    mine[b] += 1
        cuda.syncthreads()

        for b in range(thread, m, cuda.blockDim.x):
            cuda.atomic.add(bins, b, mine[b])

else:

    @cuda.jit
    def histogram(x, n, lo, hi, bins, m):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            b = bin_of(x[i], lo, hi, m)
            if b >= 0 and b < m:
                if ATOMIC:
                    cuda.atomic.add(bins, b, 1)
                else:
                    bins[b] += 1
