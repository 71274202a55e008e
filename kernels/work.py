# Computes y[i] from x[i] for n elements. Every
# launch is right: the loop is a grid-stride loop.
# ITEMS: elements that a thread works on at a time.
# STEPS: steps of arithmetic for each element.
from numba import config, cuda, float32

half, one = float32(0.5), float32(1)

# Registers for so many blocks of threads. The
# simulator has no registers.
bounds = {}
if MIN_BLOCKS and not config.ENABLE_CUDASIM:
    most = 65536 // (THREADS * MIN_BLOCKS)
    bounds["max_registers"] = min(255, most)


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
                v[k] = half * v[k] + one
        for k in range(ITEMS):
            at = i + k * stride
            if at < n:
                y[at] = v[k]
