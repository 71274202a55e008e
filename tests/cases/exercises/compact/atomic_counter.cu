// Each value gets a place, in the order of the additions.
// expect: wrong 0
// hint: should be 7
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    if (i == 0) count[0] = 0;
    __syncthreads();
    if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}
