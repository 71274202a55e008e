#include "helpers.h"
__global__ void k(int* a) {
  a[0] = helper(1);  // expect: error Perhaps "helpers.h" declares it
}
// expect message: "helpers.h" declares it, which cannot be included
