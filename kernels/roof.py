# Each thread computes a curve for its share of n
# values, and stores the sum of its results in y.
# STEPS: how many steps for each value.
# STRUCTS: x has structs of 4 numbers; one is read.
# DOUBLE: plain numbers of Python are double.
from numba import cuda, float32

half, one = float32(0.5), float32(1)


@cuda.jit
def curve(x, y, n):
    me = cuda.grid(1)
    total = float32(0)
    for i in range(me, n, cuda.gridsize(1)):
        v = x[4 * i] if STRUCTS else x[i]
        for s in range(STEPS):
            if DOUBLE:
                v = float32(0.5 * v + 1.0)
            else:
                v = half * v + one
        total += v
    y[me] = total
