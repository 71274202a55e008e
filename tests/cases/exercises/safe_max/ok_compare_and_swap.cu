// expect: passed
extern "C" __global__ void safe_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int seen = atomicAdd(result, 0);
    while (values[i] > seen) {
        const int found = atomicCAS(result, seen, values[i]);
        if (found == seen) break;
        seen = found;
    }
}
