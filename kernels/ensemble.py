# Members of an ensemble: rings of 32 cells.
# dx[i] = (x[i+1] - x[i-2]) * x[i-1] - x[i] + 8
# (Lorenz, 1996). A step of Runge and Kutta takes
# four slopes. WORK: 0 a thread a member, 1 a
# thread a cell. HALVED: member m halves its step
# m % 4 times, in a function that calls itself.
# Arrays come by reference, numbers by value. No
# function returns an array, so with BY_VALUE it is
# the same; and Numba inlines what it likes.
from numba import cuda, float32

CELLS = 32
one, two = float32(1), float32(2)
six, eight = float32(6), float32(8)


@cuda.jit(device=True)
def rate(z, i):
    after = z[(i + 1) % CELLS]
    two_before = z[(i + CELLS - 2) % CELLS]
    before = z[(i + CELLS - 1) % CELLS]
    change = (after - two_before) * before
    return change - z[i] + eight


if WORK == 0:  # a thread a member

    @cuda.jit(device=True)
    def slope(z, d):
        for i in range(CELLS):
            d[i] = rate(z, i)

    @cuda.jit(device=True)
    def step(now, dt):
        z = cuda.local.array(CELLS, float32)
        d = cuda.local.array(CELLS, float32)
        total = cuda.local.array(CELLS, float32)
        for i in range(CELLS):
            z[i] = now[i]
            total[i] = float32(0)
        for k in range(1, 5):
            slope(z, d)
            part = dt / two if k < 3 else dt
            weight = one if k % 3 == 1 else two
            for i in range(CELLS):
                total[i] += weight * d[i]
                z[i] = now[i] + part * d[i]
        for i in range(CELLS):
            now[i] += dt / six * total[i]

else:  # a thread a cell, a block a member

    @cuda.jit(device=True)
    def step(now, dt):
        z = cuda.shared.array(CELLS, float32)
        i = cuda.threadIdx.x
        mine = now[0]
        total = float32(0)
        for k in range(1, 5):
            z[i] = mine
            cuda.syncthreads()
            d = rate(z, i)
            cuda.syncthreads()
            weight = one if k % 3 == 1 else two
            total += weight * d
            part = dt / two if k < 3 else dt
            mine = now[0] + part * d
        now[0] += dt / six * total


# Returns the time by which the member went on.
@cuda.jit(device=True)
def advance(now, dt, halvings):
    if halvings == 0:
        step(now, dt)
        return dt
    half = dt / two
    first = advance(now, half, halvings - 1)
    return first + advance(now, half, halvings - 1)


@cuda.jit
def ensemble(x, time, members, dt):
    now = cuda.local.array(CELLS, float32)
    if WORK == 0:
        m = cuda.grid(1)
        if m >= members:
            return
        for i in range(CELLS):
            now[i] = x[m * CELLS + i]
    else:
        m = cuda.blockIdx.x
        c = cuda.threadIdx.x
        now[0] = x[m * CELLS + c]

    went = dt
    if HALVED:
        went = advance(now, dt, m % 4)
    else:
        step(now, dt)

    if WORK == 0:
        for i in range(CELLS):
            x[m * CELLS + i] = now[i]
        time[m] += went
    else:
        x[m * CELLS + c] = now[0]
        if c == 0:
            time[m] += went
