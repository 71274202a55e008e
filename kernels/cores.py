# Each thread makes the same number of steps with
# four numbers that do not depend on each other.
# A step is a fused multiply-add of each of them.
# DOUBLE: the numbers are float64.
from numba import cuda, float32, float64

number = float64 if DOUBLE else float32
half = number(0.5)


@cuda.jit
def busy(y, steps):
    me = cuda.grid(1)
    k = number(me)
    a, b = number(0), number(1)
    c, d = number(2), number(3)
    for s in range(steps):
        a = half * a + k
        b = half * b + k
        c = half * c + k
        d = half * d + k
    y[me] = a + b + c + d
