# The sum of n floats: every block leaves its share's sum
# in out, and the host adds those few.
# VERSION: the version of the kernel, 0 to 6. Numba has no
# library that sums a block: with 6 it does what 5 does.
from numba import cuda, float32

if VERSION == 0:  # halves, in place in global memory

    @cuda.jit
    def sum_blocks(data, n, out):
        tid = cuda.threadIdx.x
        first = cuda.blockIdx.x * cuda.blockDim.x
        width = min(cuda.blockDim.x, n - first)
        while width > 1:
            half = (width + 1) // 2
            if tid < width // 2:
                data[first + tid] += data[first + tid + half]
            cuda.syncthreads()
            width = half
        if tid == 0:
            out[cuda.blockIdx.x] = data[first]

elif VERSION <= 3:  # a tree of sums in shared memory

    @cuda.jit
    def sum_blocks(data, n, out):
        s = cuda.shared.array(0, float32)
        tid = cuda.threadIdx.x
        size = cuda.blockDim.x
        i = cuda.grid(1)
        s[tid] = data[i] if i < n else float32(0)
        cuda.syncthreads()
        if VERSION == 1:  # neighbours: every other lane
            gap = 1
            while gap < size:
                if tid & (2 * gap - 1) == 0 and tid + gap < size:
                    s[tid] += s[tid + gap]
                cuda.syncthreads()
                gap *= 2
        elif VERSION == 2:  # neighbours: the first lanes
            gap = 1
            while gap < size:
                at = 2 * gap * tid
                if at + gap < size:
                    s[at] += s[at + gap]
                cuda.syncthreads()
                gap *= 2
        else:  # halves: the first lanes, side by side
            width = size
            while width > 1:
                half = (width + 1) // 2
                if tid < width // 2:
                    s[tid] += s[tid + half]
                cuda.syncthreads()
                width = half
        if tid == 0:
            out[cuda.blockIdx.x] = s[0]

else:  # warps that hand values from lane to lane

    @cuda.jit(device=True)
    def warp_sum(x):
        gap = 16
        while gap > 0:
            x += cuda.shfl_down_sync(0xffffffff, x, gap)
            gap //= 2
        return x

    @cuda.jit
    def sum_blocks(data, n, out):
        sums = cuda.shared.array(32, float32)
        lane = cuda.threadIdx.x % 32
        warp = cuda.threadIdx.x // 32
        x = float32(0)
        if VERSION == 4:
            if cuda.grid(1) < n:
                x = data[cuda.grid(1)]
        else:  # a fixed grid strides over all values
            for i in range(cuda.grid(1), n, cuda.gridsize(1)):
                x += data[i]
        x = warp_sum(x)
        if lane == 0:
            sums[warp] = x
        cuda.syncthreads()
        if warp > 0:
            return
        x = float32(0)
        if lane < cuda.blockDim.x // 32:
            x = sums[lane]
        x = warp_sum(x)
        if lane == 0:
            out[cuda.blockIdx.x] = x
