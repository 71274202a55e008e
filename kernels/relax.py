# STEPS times, x[i] goes a quarter of its way to 1.
# The more steps, the more work for each value.
from numba import cuda, float32

most, rest = float32(0.75), float32(0.25)


@cuda.jit
def relax(x, n):
    i = cuda.grid(1)
    if i >= n:
        return
    v = x[i]
    for s in range(STEPS):
        v = most * v + rest
    x[i] = v
