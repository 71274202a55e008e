# The lanes of one warp hand each other values.
# PATTERN: 0 sums move down, 1 a butterfly, 2 a
# prefix sum, 3 votes, 4 tiles of TILE lanes.
# ABSENT: 0 lanes without a value add 0, 1 they
# return, 2 they return, and no mask names them.
from numba import cuda


# A row of the log: the lane that a value came from,
# the value, and what the receiver holds now.
@cuda.jit(device=True)
def note(log, row, source, value, holds):
    log[row, 0, cuda.threadIdx.x] = source
    log[row, 1, cuda.threadIdx.x] = value
    log[row, 2, cuda.threadIdx.x] = holds


@cuda.jit
def talk(in_, n, out, log):
    lane = cuda.threadIdx.x
    x = 0
    if lane < n:
        x = in_[lane]
    mask = 0xffffffff
    if ABSENT == 2:
        mask = cuda.ballot_sync(mask, lane < n)
    if ABSENT > 0 and lane >= n:
        return
    place = lane  # in out
    stores = True
    row = 0

    if PATTERN == 0:  # lane 0 gets the sum
        gap = 16
        while gap > 0:
            y = cuda.shfl_down_sync(mask, x, gap)
            k = cuda.shfl_down_sync(mask, lane, gap)
            if ABSENT < 2 or lane + gap < n:
                x += y
            note(log, row, k, y, x)
            row += 1
            gap //= 2
        stores = lane == 0

    elif PATTERN == 1:  # every lane gets the sum
        gap = 16
        while gap > 0:
            y = cuda.shfl_xor_sync(mask, x, gap)
            k = cuda.shfl_xor_sync(mask, lane, gap)
            if ABSENT < 2 or (lane ^ gap) < n:
                x += y
            note(log, row, k, y, x)
            row += 1
            gap //= 2

    elif PATTERN == 2:  # k: sum of lanes 0 to k
        gap = 1
        while gap < 32:
            y = cuda.shfl_up_sync(mask, x, gap)
            k = cuda.shfl_up_sync(mask, lane, gap)
            if lane >= gap:
                x += y
            note(log, row, k, y, x)
            row += 1
            gap *= 2

    elif PATTERN == 3:  # lanes with more than 1
        yes = x > 1
        some = cuda.any_sync(mask, yes)
        every = cuda.all_sync(mask, yes)
        note(log, 0, lane, some, yes)
        note(log, 1, lane, every, yes)
        votes = cuda.ballot_sync(mask, yes)
        note(log, 2, lane, votes, yes)
        # Bit k is lane k's vote: count those below.
        place = cuda.popc(votes & ((1 << lane) - 1))
        note(log, 3, lane, place, place)
        row = 4
        stores = yes

    else:  # a tile's first lane gets the tile's sum
        # Numba has no tiles: lanes name a source,
        # themselves at the end of their tile.
        gap = TILE // 2
        while gap > 0:
            k = lane
            if lane % TILE + gap < TILE:
                k = lane + gap
            y = cuda.shfl_sync(mask, x, k)
            x += y
            note(log, row, k, y, x)
            row += 1
            gap //= 2
        stores = lane % TILE == 0
        place = lane // TILE

    if stores:
        out[place] = x
        note(log, row, place, x, x)
