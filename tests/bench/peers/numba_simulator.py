"""One workload by Numba's CUDA simulator, timed: numba_simulator.py WORK SIZE [--repeat N] prints one JSON object.

A Python thread stands for each CUDA thread, so sizes must be small. Inputs are those of workloads.h.
"""

import json
import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numpy as np
from numba import cuda, float32, int32

TILE, MATMUL_TILE, SUM_BLOCK = 8, 16, 128
LOWEST, HIGHEST, COEFFICIENT = np.float32(-4), np.float32(4), np.float32(0.25)


def cell(f, x, y, n):
    return f[min(max(y, 0), n - 1), min(max(x, 0), n - 1)]


@cuda.jit
def diffusion(source, out, lapl, n, k):
    s = cuda.shared.array((TILE + 2, TILE + 2), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    s[j, i] = cell(source, x, y, n)
    if i == 1:
        s[j, 0] = cell(source, x - 1, y, n)
    if i == TILE:
        s[j, i + 1] = cell(source, x + 1, y, n)
    if j == 1:
        s[0, i] = cell(source, x, y - 1, n)
    if j == TILE:
        s[j + 1, i] = cell(source, x, y + 1, n)
    cuda.syncthreads()
    if x < n and y < n:
        l = 4 * s[j, i] - s[j, i - 1] - s[j, i + 1] - s[j - 1, i] - s[j + 1, i]
        lapl[y, x] = l
        out[y, x] = s[j, i] - k * l


@cuda.jit
def matmul(a, b, c, n):
    tile_a = cuda.shared.array((MATMUL_TILE, MATMUL_TILE), float32)
    tile_b = cuda.shared.array((MATMUL_TILE, MATMUL_TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for t in range(0, n, MATMUL_TILE):
        tile_a[y, x] = a[row, t + x] if row < n and t + x < n else 0
        tile_b[y, x] = b[t + y, column] if t + y < n and column < n else 0
        cuda.syncthreads()
        for k in range(MATMUL_TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if row < n and column < n:
        c[row, column] = total


@cuda.jit
def histogram_global(x, lo, hi, bins):
    m = bins.shape[0]
    width = (hi - lo) / np.float32(m)
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        b = int(np.floor((x[i] - lo) / width))
        if 0 <= b < m:
            cuda.atomic.add(bins, b, 1)


@cuda.jit
def histogram_shared(x, lo, hi, bins):
    m = bins.shape[0]
    mine = cuda.shared.array(10, int32)
    for b in range(cuda.threadIdx.x, m, cuda.blockDim.x):
        mine[b] = 0
    cuda.syncthreads()
    width = (hi - lo) / np.float32(m)
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        b = int(np.floor((x[i] - lo) / width))
        if 0 <= b < m:
            cuda.atomic.add(mine, b, 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, m, cuda.blockDim.x):
        cuda.atomic.add(bins, b, mine[b])


@cuda.jit
def sum_blocks(data, out):
    s = cuda.shared.array(SUM_BLOCK, float32)
    tid, i = cuda.threadIdx.x, cuda.grid(1)
    s[tid] = data[i] if i < data.shape[0] else 0
    cuda.syncthreads()
    width = SUM_BLOCK
    while width > 1:
        half = (width + 1) // 2
        if tid < width // 2:
            s[tid] += s[tid + half]
        cuda.syncthreads()
        width = half
    if tid == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def race(c):
    c[0] += 1


def scattered(n, period):
    """workloads.h multiplies by 2654435761 in 64 bits; the periods divide 2^64, so what wraps does not show."""
    return (np.arange(n, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(period)).astype(np.float32)


def prepare(work, n):
    """Kernel, grid, block, arguments, and which of these is checked."""
    i = np.arange(n * n if work in ("diffusion", "matmul") else 0)
    if work == "diffusion":
        tiles = -(-n // TILE)
        source = ((i % 97).astype(np.float32) / np.float32(97)).reshape(n, n)
        out = np.zeros((n, n), np.float32)
        return diffusion, (tiles, tiles), (TILE, TILE), (source, out, np.zeros_like(out), n, COEFFICIENT), 1
    if work == "matmul":
        tiles = -(-n // MATMUL_TILE)
        a = ((i * 7 % 13) / 8 - 0.75).astype(np.float32).reshape(n, n)
        b = ((i * 5 % 11) / 8 - 0.625).astype(np.float32).reshape(n, n)
        return matmul, (tiles, tiles), (MATMUL_TILE, MATMUL_TILE), (a, b, np.zeros((n, n), np.float32), n), 2
    if work in ("histogram_global", "histogram_shared"):
        x = scattered(n, 8192) / np.float32(1024) - np.float32(4)
        shared = work == "histogram_shared"
        kernel = histogram_shared if shared else histogram_global
        return kernel, 128, 64, (x, LOWEST, HIGHEST, np.zeros(10 if shared else 256, np.int32)), 3
    if work == "sum":
        blocks = -(-n // SUM_BLOCK)
        data = scattered(n, 1024) / np.float32(1024) - np.float32(0.5)
        return sum_blocks, blocks, SUM_BLOCK, (data, np.zeros(blocks, np.float32)), 1
    return race, 64, 64, (np.zeros(1, np.int32),), 0


def main():
    work, n = sys.argv[1], int(sys.argv[2])
    repeat = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    kernel, grid, block, arguments, checked = prepare(work, n)
    times = []
    for _ in range(repeat):
        arguments[checked].fill(0)
        begin = time.perf_counter()
        kernel[grid, block](*arguments)
        times.append(1e3 * (time.perf_counter() - begin))
    values = arguments[checked].ravel().astype(np.float64)
    threads = int(np.prod(grid)) * int(np.prod(block))
    print(json.dumps({"ms": times, "threads": threads, "check": float(np.sum(values * (1 + np.arange(values.size) % 7)))}))


main()
