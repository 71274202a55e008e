# Computes y[i] from x[i]; the steps depend on k,
# from 0 to 31. BY: 0: k is the lane's number, 1:
# the warp's number, 2: computed from the value.
# SHAPE: 0 an if, 1 an if in each of its ways, 2 a
# loop. STEPS: steps of a way, or the longest loop.
from numba import cuda, float32

half, quarter = float32(0.5), float32(0.25)
three_quarters = float32(0.75)
eighth = float32(0.125)
one, two = float32(1), float32(2)
three, four = float32(3), float32(4)


@cuda.jit
def branch(x, y, n):
    i = cuda.grid(1)
    if i >= n:
        return
    v = x[i]
    k = cuda.threadIdx.x % 32
    if BY == 1:
        k = cuda.threadIdx.x // 32
    if BY == 2:  # 0 <= v < 1
        k = int(v * 32)

    if SHAPE == 0:
        if k < 16:
            for s in range(STEPS):
                v = half * v + one
        else:
            for s in range(STEPS):
                v = quarter * v + two
    elif SHAPE == 1:
        if k < 16:
            if k < 8:
                for s in range(STEPS):
                    v = half * v + one
            else:
                for s in range(STEPS):
                    v = quarter * v + two
        else:
            if k < 24:
                for s in range(STEPS):
                    v = three_quarters * v + three
            else:
                for s in range(STEPS):
                    v = eighth * v + four
    else:
        steps = STEPS * (k + 1) // 32
        for s in range(steps):
            v = half * v + one
    y[i] = v
