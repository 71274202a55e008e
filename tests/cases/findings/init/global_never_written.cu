// launch: accumulate --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=unwritten
__global__ void accumulate(const int* in, int* out) {
  int i = threadIdx.x;
  int before = out[i];  // expect: init global
  out[i] = before + in[i];
}
