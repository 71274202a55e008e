// launch: doubled --grid 1 --block 32 --arg float32[32]=iota
// status: cudaErrorInvalidPtx
// says: Line 7 calls twice(float, int*), which is declared but nowhere defined.
__device__ float twice(float x, int* failed);

__global__ void doubled(float* x) {
  x[threadIdx.x] = twice(x[threadIdx.x], nullptr);
}
