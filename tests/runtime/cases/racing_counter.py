# run: --observe race --schedule clock
# prints: of 4096: 1
import numpy as np
from numba import cuda


@cuda.jit
def count(counter):
    counter[0] += 1  # expect: race


counter = cuda.to_device(np.zeros(1, np.int32))
count[64, 64](counter)
print("of 4096:", counter.copy_to_host()[0])
