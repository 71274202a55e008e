# Every thread adds one to the same counter.
from numba import cuda


@cuda.jit
def count(c):
    if USE_ATOMIC_ADD:
        cuda.atomic.add(c, 0, 1)
    else:
        c[0] += 1
