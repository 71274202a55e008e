# Each block adds up its part of x and stores its
# sum in partial. Then one block adds these sums.
# VERSION: 0 the ticket alone, 1 a fence before it,
# 2 fences before and after it, 4 fences for the
# block only, 7 a barrier instead of a ticket.
# RESET: the counter is 0 for the next launch.
# Numba has no volatile arrays and no atomics with
# an order or a scope: 3 is as 0, and 5 and 6 have
# fences of their scope around the ticket.
from numba import cuda, int32


@cuda.jit
def total(x, partial, count, out):
    sums = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        sums[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(sums, 0, x[cuda.grid(1)])
    cuda.syncthreads()

    if VERSION == 7:
        if cuda.threadIdx.x == 0:
            partial[cuda.blockIdx.x] = sums[0]
        cuda.syncthreads()
        if cuda.blockIdx.x > 0 or cuda.threadIdx.x > 0:
            return
    else:
        if cuda.threadIdx.x > 0:
            return
        partial[cuda.blockIdx.x] = sums[0]
        if VERSION == 1 or VERSION == 2 or VERSION == 5:
            cuda.threadfence()
        if VERSION == 4 or VERSION == 6:
            cuda.threadfence_block()
        ticket = cuda.atomic.add(count, 0, 1)
        if ticket != cuda.gridDim.x - 1:
            return
        if VERSION == 2 or VERSION == 5:
            cuda.threadfence()
        if VERSION == 4 or VERSION == 6:
            cuda.threadfence_block()

    # One thread of the grid comes here.
    everything = 0
    for b in range(cuda.gridDim.x - 1, -1, -1):
        everything += partial[b]
    out[0] = everything
    if RESET and VERSION != 7:
        cuda.atomic.exch(count, 0, 0)
