// A function that is called in one block after the other sees the block that it runs in.
__device__ int number() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__device__ __noinline__ int here(int factor) { return factor * number() + threadIdx.x; }

extern "C" __global__ void count(int* out) { out[blockDim.x * number() + threadIdx.x] = here(blockDim.x); }
// launch: count --grid 3,2,5 --block 40 --arg int32[1200]=0,…
// expect: arg 0 = iota
