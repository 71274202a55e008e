#include <iostream>
int twice(int x) { return 2 * x; }
__global__ void k(int* a) {
  a[0] = twice(a[0]);  // expect: error twice() has no __device__ in front of it
}
int main() { std::cout << twice(2); }
// expect message: twice() has no __device__ in front of it
