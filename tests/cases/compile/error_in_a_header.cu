#include "sub/wrong.cuh"
__global__ void k(int* a) { a[0] = sum(1); }
// expect message: sub/wrong.cuh line 3: oops is not declared here.
// clang differs: of a function with errors it gives no warnings.
