# out[i] = a[i] + b[i], a thread for each i.
from numba import cuda


@cuda.jit
def add(a, b, out, n):
    i = cuda.grid(1)
    if GUARD and i >= n:
        return
    out[i] = a[i] + b[i]
