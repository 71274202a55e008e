// launch: copy --grid 1 --block 32 --arg uint64=0 --arg int32[32]=zeros
__global__ void copy(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // expect: memory global
}
