# x[i]: the sum of a[j + s] * z[i + s - j] over
# -s <= j <= s; the first and the last count half.
# VERSION 0, 1: 2s threads a block; 2, 5: 2s + 1;
# 3, 4: a thread for each output.
from numba import cuda, float32


@cuda.jit(device=True)
def term(a, z, i, s, j):
    t = a[j + s] * z[i + s - j]
    if j == -s or j == s:
        t /= float32(2)
    return t


if VERSION <= 2:  # a thread for each weight

    @cuda.jit
    def smooth(a, z, x, n, s):
        i = cuda.blockIdx.x
        j = cuda.threadIdx.x - s
        if VERSION == 0:
            x[i] += term(a, z, i, s, j)
        else:
            t = term(a, z, i, s, j)
            cuda.atomic.add(x, i, t)

elif VERSION <= 4:  # a thread an output

    @cuda.jit
    def smooth(a, z, x, n, s):
        if VERSION == 3:
            i = cuda.threadIdx.x
        else:
            i = cuda.grid(1)
        if i >= n:
            return
        total = float32(0)
        for j in range(-s, s + 1):
            total += term(a, z, i, s, j)
        x[i] = total

else:  # a block sums up in shared memory

    @cuda.jit
    def smooth(a, z, x, n, s):
        terms = cuda.shared.array(0, float32)
        i = cuda.blockIdx.x
        t = cuda.threadIdx.x
        terms[t] = term(a, z, i, s, t - s)
        cuda.syncthreads()
        width = cuda.blockDim.x
        while width > 1:
            half = (width + 1) // 2
            if t < width // 2:
                terms[t] += terms[t + half]
            cuda.syncthreads()
            width = half
        if t == 0:
            x[i] = terms[0]
