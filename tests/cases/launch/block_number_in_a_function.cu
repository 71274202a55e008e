// A function that is called in one block after the other sees the block that it runs in.
__device__ __noinline__ int here(int factor) { return factor * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x; }

extern "C" __global__ void number(int* out) { out[blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x] = here(blockDim.x); }
// launch: number --grid 6,5 --block 40 --arg int32[1200]=0,…
// expect: arg 0 = iota
