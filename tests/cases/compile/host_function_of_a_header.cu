#include "tools.h"
__global__ void k(int* a) {
  a[0] = rounded(a[0]); // by clang: error:10 calling a __host__ function("rounded")
}
int main() {}
// expect message: has no __device__ in front of it, so it is a host function
// clang differs: it names the call, and the function in a note.
