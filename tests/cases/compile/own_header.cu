#include "helpers.h"  // expect: error open source file "helpers.h"
__global__ void k(int* a) {
  a[0] = 1;
}
// expect message: "helpers.h" cannot be included
