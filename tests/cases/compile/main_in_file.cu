#include <cstdio>
__global__ void k(int* a) {  // expect kernel: k(int* a)
  a[0] = 1;
}
int main() {  // expect left out: main()
  int* a;
  cudaMalloc(&a, 4);
  k<<<1, 1>>>(a);
}
