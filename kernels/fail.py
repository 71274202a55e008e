# out[i] = x[i + 1] - x[i], a thread for each i;
# after the last element comes the first again.
from numba import cuda


@cuda.jit
def fail(x, out, n):
    i = cuda.grid(1)
    if i >= n:
        return
    next = i + 1
    if WRAP and next == n:
        next = 0
    if i % 1000 == 0:
        print("i =", i, "next =", next)
    # On a GPU only with @cuda.jit(debug=True).
    if CHECK:
        assert next < n
    out[i] = x[next] - x[i]


# A second launch: every element times two.
@cuda.jit
def twice(out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] *= 2
