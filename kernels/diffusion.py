# One step of the heat equation. A neighbour beyond the
# edge is the cell itself: no heat flows out, so the sum
# is conserved.
from numba import cuda, float32


@cuda.jit(device=True)
def cell(f, x, y, n):
    x = min(max(x, 0), n - 1)
    y = min(max(y, 0), n - 1)
    return f[y, x]


if not FAST:  # a thread a cell, a block a tile
    SIDE = TILE + 2

    @cuda.jit
    def diffuse(in_, out, lapl, n, k):
        s = cuda.shared.array((SIDE, SIDE), float32)
        x, y = cuda.grid(2)
        i = cuda.threadIdx.x + 1
        j = cuda.threadIdx.y + 1
        s[j, i] = cell(in_, x, y, n)
        if i == 1:
            s[j, 0] = cell(in_, x - 1, y, n)
        if i == TILE:
            s[j, i + 1] = cell(in_, x + 1, y, n)
        if j == 1:
            s[0, i] = cell(in_, x, y - 1, n)
        if j == TILE:
            s[j + 1, i] = cell(in_, x, y + 1, n)
        if SYNC:
            cuda.syncthreads()
        if x >= n or y >= n:
            return
        l = (float32(4) * s[j, i] - s[j, i - 1] - s[j, i + 1]
             - s[j - 1, i] - s[j + 1, i])
        lapl[y, x] = l
        if IN_PLACE:
            in_[y, x] = s[j, i] - k * l
        else:
            out[y, x] = s[j, i] - k * l

else:  # no tile: a thread a strip, 4 wide, ROWS high
    HIGH = ROWS + 2

    # A warp's strips lie side by side, so a neighbour's
    # cells come from its registers; only at the ends of
    # the warp are they loaded once more.
    @cuda.jit
    def diffuse(in_, out, lapl, n, k):
        lane = cuda.threadIdx.x
        x = 4 * (cuda.blockIdx.x * 32 + lane)
        y0 = ROWS * (cuda.blockIdx.y * cuda.blockDim.y
                     + cuda.threadIdx.y)
        if y0 >= n:
            return  # the whole warp

        row = cuda.local.array((HIGH, 4), float32)
        for r in range(HIGH):
            for c in range(4):
                row[r, c] = cell(in_, x + c, y0 + r - 1, n)

        for r in range(1, ROWS + 1):
            y = y0 + r - 1
            left = cuda.shfl_up_sync(0xffffffff, row[r, 3], 1)
            right = cuda.shfl_down_sync(0xffffffff, row[r, 0], 1)
            if lane == 0:
                left = cell(in_, x - 1, y, n)
            if lane == 31:
                right = cell(in_, x + 4, y, n)
            if y >= n:
                continue
            for c in range(4):
                if x + c >= n:
                    break
                before = left if c == 0 else row[r, c - 1]
                after = right if c == 3 else row[r, c + 1]
                l = (float32(4) * row[r, c] - before - after
                     - row[r - 1, c] - row[r + 1, c])
                lapl[y, x + c] = l
                out[y, x + c] = row[r, c] - k * l
