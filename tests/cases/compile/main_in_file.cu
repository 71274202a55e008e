#include <cstdio>
__global__ void k(int* a) {
  a[0] = 1;
}
int main() {  // expect: error:5 considered a host function
  int* a;
  cudaMalloc(&a, 4);  // expect: error identifier "cudaMalloc" is undefined
  k<<<1, 1>>>(a);
}
// expect message: main() is host code.
