#include <vector>  // expect: error open source file "vector"
__global__ void k(int* a) {
  a[0] = 1;
}
// expect message: <vector> is a header for host code.
