# c[i] = the length of (a[i], b[i]), i below n.
# WAY 0: one element a thread; 1: grid-stride loop;
# 2: a chunk a thread, its elements side by side.
from math import hypot

from numba import cuda


@cuda.jit
def hypot_stride(a, b, c, n):
    thread = cuda.grid(1)
    threads = cuda.gridsize(1)
    if WAY == 0:
        if thread < n:
            c[thread] = hypot(a[thread], b[thread])
    elif WAY == 1:
        for i in range(thread, n, threads):
            c[i] = hypot(a[i], b[i])
    else:
        chunk = (n + threads - 1) // threads
        end = min((thread + 1) * chunk, n)
        for i in range(thread * chunk, end):
            c[i] = hypot(a[i], b[i])
