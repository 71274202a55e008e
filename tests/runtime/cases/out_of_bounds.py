# run: --observe memory
# says: `allocation
import numpy as np
from numba import cuda


@cuda.jit
def double(values):
    i = cuda.grid(1)
    values[i] *= 2  # expect: memory


double[1, 128](cuda.to_device(np.ones(100, np.float32)))
