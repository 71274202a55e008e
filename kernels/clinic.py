# Twelve small kernels, each with one mistake.
# CASE: which one, 1 to 12. MENDED: without its mistake.
from numba import cuda, int32, int8, int64

if CASE == 1:  # every value twice as large

    @cuda.jit
    def broken(x, n, out):
        i = cuda.threadIdx.x
        if MENDED:
            i = cuda.grid(1)
        if i < n:
            out[i] = 2 * x[i]

elif CASE == 2:  # every block's values, the last one first

    @cuda.jit
    def broken(x, n, out):
        s = cuda.shared.array(256, int32)
        t = cuda.threadIdx.x
        first = cuda.blockIdx.x * cuda.blockDim.x
        s[t] = x[first + t]
        if MENDED:
            cuda.syncthreads()
        out[first + t] = s[cuda.blockDim.x - 1 - t]

elif CASE == 3:  # by how much each value is greater than
    # the one before it in its block

    @cuda.jit
    def broken(x, n, out):
        s = cuda.shared.array(256, int32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        if MENDED:
            if i < n:
                s[t] = x[i]
            cuda.syncthreads()
            if i < n:
                out[i] = s[t] - s[t - 1] if t > 0 else 0
        elif i < n:
            s[t] = x[i]
            cuda.syncthreads()
            out[i] = s[t] - s[t - 1] if t > 0 else 0

elif CASE == 4:  # each value and the next one, added

    @cuda.jit
    def broken(x, n, out):
        s = cuda.shared.array(257 if MENDED else 256, int32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t] = x[i]
        if MENDED and t == 255:
            s[256] = x[i + 1] if i + 1 < n else 0
        cuda.syncthreads()
        out[i] = s[t] + s[t + 1]

elif CASE == 5:  # the sum of every block's values

    @cuda.jit
    def broken(x, n, out):
        total = cuda.shared.array(1, int32)
        t = cuda.threadIdx.x
        if MENDED:
            if t == 0:
                total[0] = 0
            cuda.syncthreads()
        cuda.atomic.add(total, 0, x[cuda.grid(1)])
        cuda.syncthreads()
        if t == 0:
            out[cuda.blockIdx.x] = total[0]

elif CASE == 6:  # an image of n / 48 rows of 48 points:
    # dark becomes bright

    @cuda.jit
    def broken(x, n, out):
        width = 48
        height = n // width
        row, col = cuda.grid(2)
        if MENDED:
            col, row = cuda.grid(2)
        if col < width and row < height:
            at = row * width + col
            out[at] = 256 - x[at]

elif CASE == 7:  # thousandths of 4,096, rounded down.
    # (Numba's integers have 64 bits: 32 are asked for)

    @cuda.jit
    def broken(x, n, out):
        i = cuda.grid(1)
        if i < n:
            product = 1000 * int64(x[i])
            if not MENDED:
                product = int32(product)
            out[i] = product // 4096

elif CASE == 8:  # the sum of every block's values: a tree

    @cuda.jit
    def broken(x, n, out):
        s = cuda.shared.array(256, int32)
        t = cuda.threadIdx.x
        s[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        width = cuda.blockDim.x
        while width > 1:
            half = width // 2
            if MENDED:
                half = (width + 1) // 2
            if t < width // 2:
                s[t] += s[t + half]
            cuda.syncthreads()
            width = half
        if t == 0:
            out[cuda.blockIdx.x] = s[0]

elif CASE == 9:  # millionths of the sum of all values;
    # out[n] is the sum, and out[n + 1] counts the blocks
    # that have added. (Only the launch is wrong.)

    @cuda.jit
    def broken(x, n, out):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            cuda.atomic.add(out, n, x[i])
        cuda.threadfence()
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            blocks = cuda.gridDim.x
            cuda.atomic.add(out, n + 1, 1)
            while cuda.atomic.add(out, n + 1, 0) < blocks:
                pass
            cuda.threadfence()
        cuda.syncthreads()
        total = cuda.atomic.add(out, n, 0)
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            out[i] = 1000000 * x[i] // total

elif CASE == 10:  # odd values become 0, in reverse order.
    # Numba's arrays begin at elements, so they are always
    # aligned: there is nothing to be mended here

    @cuda.jit
    def broken(x, n, out):
        size = cuda.blockDim.x
        value = cuda.shared.array(0, int32)
        odd = cuda.shared.array(0, int8)[4 * size:]
        t = cuda.threadIdx.x
        other = size - 1 - t
        first = cuda.blockIdx.x * size
        value[t] = x[first + t]
        odd[t] = x[first + t] & 1
        cuda.syncthreads()
        out[first + t] = 0 if odd[other] else value[other]

elif CASE == 11:  # on a ring: each value and its two
    # neighbours, added, and then once more

    @cuda.jit(device=True)
    def of_three(x, n, i):
        left = (i + n - 1) % n
        right = (i + 1) % n
        return x[left] + x[(i + n) % n] + x[right]

    @cuda.jit
    def broken(x, n, out):
        s = cuda.shared.array(66, int32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t + 1] = x[i]
        if t == 0:
            s[0] = x[(i + n - 1) % n]
        if t == 63:
            s[65] = x[(i + 1) % n]
        cuda.syncthreads()
        total = s[t] + s[t + 1] + s[t + 2]
        cuda.syncthreads()
        s[t + 1] = total
        if MENDED:
            if t == 0:
                s[0] = of_three(x, n, i - 1)
            if t == 63:
                s[65] = of_three(x, n, i + 1)
        cuda.syncthreads()
        out[i] = s[t] + s[t + 1] + s[t + 2]

else:  # how far each value is from its block's greatest
    # and smallest one, added

    @cuda.jit
    def broken(x, n, out):
        s = cuda.shared.array(256, int32)
        t = cuda.threadIdx.x
        mine = x[cuda.grid(1)]
        s[t] = mine
        cuda.syncthreads()
        half = 128
        while half > 0:
            if t < half:
                s[t] = max(s[t], s[t + half])
            cuda.syncthreads()
            half //= 2
        most = s[0]
        if MENDED:
            cuda.syncthreads()
        s[t] = mine
        cuda.syncthreads()
        half = 128
        while half > 0:
            if t < half:
                s[t] = min(s[t], s[t + half])
            cuda.syncthreads()
            half //= 2
        out[cuda.grid(1)] = (most - mine) + (mine - s[0])
