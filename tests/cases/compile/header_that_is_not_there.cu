#include "inside.h"
__global__ void k(int* a) {
  a[0] = there(1);  // expect: error Perhaps "sub/not.h" declares it, which is neither in this file's folder nor below it
}
