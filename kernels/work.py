# y[i] from x[i] for n elements, by any number of blocks
# of any size: the loop strides over the grid.
# ITEMS: elements that a thread works on at a time.
# STEPS: of arithmetic for each element.
from numba import cuda, float32

# Registers for so many blocks of so many threads.
bounds = {}
if MIN_BLOCKS:
    bounds["max_registers"] = 65536 // (THREADS * MIN_BLOCKS)


@cuda.jit(**bounds)
def work(x, y, n):
    stride = cuda.gridsize(1)
    v = cuda.local.array(ITEMS, float32)
    for i in range(cuda.grid(1), n, ITEMS * stride):
        for k in range(ITEMS):
            at = i + k * stride
            v[k] = x[at] if at < n else float32(0)
        for s in range(STEPS):
            for k in range(ITEMS):
                v[k] = float32(0.5) * v[k] + float32(1)
        for k in range(ITEMS):
            at = i + k * stride
            if at < n:
                y[at] = v[k]
