extern "C" __global__ void twice(int** keep) {
  if (threadIdx.x == 0) keep[0] = static_cast<int*>(malloc(64));
  __syncthreads();
  free(keep[0]);
}
// launch: twice --grid 1 --block 2 --arg uint64[1]=0
// status: cudaErrorIllegalAddress
// says: which line 4 has freed before
