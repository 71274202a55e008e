#include <vector>  // expect: error open source file "vector"
__global__ void k(int* a) {
  std::vector<int> v(1);
  a[0] = v[0];
}
// expect message: <vector> is a header for host code.
// not by clang: it finds the C++ library where one is installed, whose std::vector is constexpr and so a kernel's, too.
