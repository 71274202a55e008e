"""The course's kernels by Numba on an NVIDIA GPU, timed: numba_kernels.py ORDINAL prints one JSON object of µs by name.

{"missing": sentence} where Numba or its GPU is not there. Diffusion in tiles of 8 × 8 with a barrier, and the sum that halves in
global memory, as the course has them; and Numba's own reduction. Written anew for this check.
"""

import json
import sys


def leave(sentence):
    print(json.dumps({"missing": sentence}))
    sys.exit(0)


try:
    import numba
    import numpy as np
    from numba import cuda, float32
except ImportError as error:
    leave(f"Numba cannot be imported by {sys.executable}: {error}.")
if not cuda.is_available():
    leave(f"Numba {numba.__version__} finds no GPU.")
cuda.select_device(int(sys.argv[1]) if len(sys.argv) > 1 else 0)

TILE = 8


@cuda.jit
def diffuse(source, out, lapl, k):
    tile = cuda.shared.array((TILE + 2, TILE + 2), float32)
    n = source.shape[0]
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    cx, cy = min(x, n - 1), min(y, n - 1)
    tile[j, i] = source[cy, cx]
    if i == 1:
        tile[j, 0] = source[cy, max(cx - 1, 0)]
    if i == TILE:
        tile[j, i + 1] = source[cy, min(x + 1, n - 1)]
    if j == 1:
        tile[0, i] = source[max(cy - 1, 0), cx]
    if j == TILE:
        tile[j + 1, i] = source[min(y + 1, n - 1), cx]
    cuda.syncthreads()
    if x < n and y < n:
        l = float32(4) * tile[j, i] - tile[j, i - 1] - tile[j, i + 1] - tile[j - 1, i] - tile[j + 1, i]
        lapl[y, x] = l
        out[y, x] = tile[j, i] - k * l


@cuda.jit
def sum_in_place(out, data, n):
    lane = cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.x
    stride = cuda.blockDim.x // 2
    while stride > 0:
        if lane < stride and first + lane + stride < n:
            data[first + lane] += data[first + lane + stride]
        cuda.syncthreads()
        stride //= 2
    if lane == 0:
        out[cuda.blockIdx.x] = data[first]


@cuda.reduce
def add(a, b):
    return a + b


def best_us(launch, rounds):
    """Mean µs of a launch, between two events, the best of five series."""
    launch()
    cuda.synchronize()
    best = float("inf")
    for _ in range(5):
        begin, end = cuda.event(), cuda.event()
        begin.record()
        for _ in range(rounds):
            launch()
        end.record()
        end.synchronize()
        best = min(best, 1e3 * cuda.event_elapsed_time(begin, end) / rounds)
    return best


def main():
    times = {"numba": numba.__version__}
    for side in (2000, 8192):
        arrays = [cuda.to_device(np.full((side, side), 0.5, np.float32)) for _ in range(3)]
        blocks = -(-side // TILE)
        k = np.float32(0.24)

        def two_steps():
            diffuse[(blocks, blocks), (TILE, TILE)](arrays[0], arrays[1], arrays[2], k)
            diffuse[(blocks, blocks), (TILE, TILE)](arrays[1], arrays[0], arrays[2], k)

        times[f"diffusion_{side}_us"] = best_us(two_steps, 50) / 2
        del arrays

    n = 2**27 - 157
    data = cuda.to_device(np.zeros(n, np.float32))
    threads = 128
    blocks = -(-n // threads)
    out = cuda.device_array(blocks, np.float32)
    times["sum_in_place_us"] = best_us(lambda: sum_in_place[blocks, threads](out, data, n), 5)
    result = cuda.device_array(1, np.float32)
    times["sum_reduce_us"] = best_us(lambda: add(data, res=result), 5)
    print(json.dumps(times))


main()
