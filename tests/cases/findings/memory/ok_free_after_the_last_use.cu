// launch: orderly --grid 1 --block 2 --arg int32[2]=zeros
// expect: clean
extern "C" __global__ void orderly(int* out) {
  __shared__ int* piece;
  if (threadIdx.x == 0) {
    piece = static_cast<int*>(malloc(2 * sizeof(int)));
    piece[0] = piece[1] = 5;
  }
  __syncthreads();
  out[threadIdx.x] = static_cast<volatile int*>(piece)[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(piece);
}
