// All in shared memory, two barriers a step.
// expect: passed
extern "C" __global__ void scan_block(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __shared__ int s[1024];
    const int t = threadIdx.x;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int gap = 1; gap < blockDim.x; gap *= 2) {
        const int before = t >= gap ? s[t - gap] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
}
