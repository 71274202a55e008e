// The second warp's last four lanes read behind the array's 60 elements; all before them do not.
extern "C" __global__ void copy(const int* a, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + 1;
}
// launch: copy --grid 1 --block 64 --arg int32[60]=iota --arg int32[64]=0,…
// status: cudaErrorIllegalAddress
// says: Thread (60,0,0) of block (0,0,0)
