#include "tools.h"
__global__ void k(int* a) {
  a[0] = rounded(a[0]);
}
int main() {}
// expect message: has no __device__ in front of it, so it is a host function
