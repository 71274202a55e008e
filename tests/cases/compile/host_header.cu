#include <vector>  // expect: error open source file "vector"
__global__ void k(int* a) {
  std::vector<int> v(1);
  a[0] = v[0];
}
// expect message: <vector> is a header for host code.
