# run: --observe race,memory,init
# prints: as NumPy counts it: True
# prints: the sum is right: True
# Everything is as it should be here: nothing is told.
import numpy as np
from numba import cuda


@cuda.jit
def histogram(values, low, high, counts):
    width = (high - low) / counts.shape[0]
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        bin = int((values[i] - low) / width)
        if 0 <= bin < counts.shape[0]:
            cuda.atomic.add(counts, bin, 1)


@cuda.reduce
def sum_of(a, b):
    return a + b


values = np.random.default_rng(3).random(3000, dtype=np.float32)
counts = cuda.to_device(np.zeros(16, np.int32))
histogram[8, 64](cuda.to_device(values), np.float32(0), np.float32(1), counts)
print("as NumPy counts it:", bool((counts.copy_to_host() == np.histogram(values, 16, (0, 1))[0]).all()))
print("the sum is right:", bool(abs(sum_of(cuda.to_device(values)) - values.sum()) < 0.01))
