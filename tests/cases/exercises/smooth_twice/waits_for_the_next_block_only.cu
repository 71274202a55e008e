// A chain: each block still waits for one that has no place.
// expect: too_slow
// hint: So nobody can go on
// passes: 0
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, l = max(i - 1, 0), r = min(i + 1, n - 1);
    if (i < n) once[i] = (in[l] + in[i] + in[r]) / 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        // Blocks count up in their order from the end.
        while (atomicAdd(&count[0], 0) < gridDim.x - 1 - blockIdx.x)
            ;
        atomicAdd(&count[0], 1);
        while (atomicAdd(&count[0], 0) < gridDim.x + 1)
            ;
        __threadfence();
    }
    __syncthreads();
    if (i < n) twice[i] = (once[l] + once[i] + once[r]) / 3;
}
