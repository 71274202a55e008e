// The heap has 8 MiB, as CUDA sets cudaLimitMallocHeapSize; then malloc returns a null pointer.
extern "C" __global__ void fill(int* pieces, int* last_was_null) {
  while (malloc(1 << 20) && pieces[0] < 100) ++pieces[0];
  last_was_null[0] = malloc(1 << 20) == nullptr;
}
// launch: fill --grid 1 --block 1 --arg int32[1]=0 --arg int32[1]=0
// expect: arg 0 = 7
// expect: arg 1 = 1
