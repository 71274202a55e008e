// Of equal values the one that comes first stays.
// expect: wrong 0
// passes: 3
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long* place = (unsigned long long*)best;
    const long long mine = (long long)values[i] << 32 | i;
    long long seen = atomicAdd(place, 0ULL);
    while (seen < 0 || (seen >> 32) < values[i]) {
        const long long found = atomicCAS(place, seen, mine);
        if (found == seen) break;
        seen = found;
    }
}
