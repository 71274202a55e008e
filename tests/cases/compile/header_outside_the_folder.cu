#include "../whole_program.cu"
__global__ void k(int* a) {
  a[0] = outside(1);  // expect: error is undefined. Perhaps a header declares it that is not read: "../whole_program.cu" leads out
}
// expect message: leads out of the folder in which this file lies
