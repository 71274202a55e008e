#include <iostream>
#include <vector>
__global__ void k(int* a) {
  a[0] = b;  // expect: error:10 identifier "b" is undefined
}
int main() {
  std::vector<int> v(4);
  k<<<1, 1>>>(v.data());
}
// expect message: b is not declared here.
