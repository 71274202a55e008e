// Never deep, but 2^60 calls: forward code that does not end by itself.
__device__ __noinline__ int twice(const volatile int* one, int n) { return n ? twice(one, n - 1) + twice(one, n - 1) : *one; }

__global__ void endless(int* out, int n) { out[threadIdx.x] = twice(out, n); }
// launch: endless --grid 1 --block 32 --arg int32[32]=1,… --arg int32=60
// status: cudaErrorLaunchTimeout
// says: Every lane of warp 0 is at work
