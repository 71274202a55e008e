// The base case is forgotten. Frames are small, so that there are many of them before the stack is used up.
__device__ __noinline__ int sum(const volatile int* p, int n) { return sum(p, n - 1) + *p; }

__global__ void endless(int* out, int n) { out[threadIdx.x] = sum(out, n); }
// launch: endless --grid 1 --block 64 --arg int32[64]=0,… --arg int32=4
// status: cudaErrorIllegalAddress
// says: A call (line 2) needs more than 512 KB of stack for one thread: the recursion is too deep.
