#include <iostream>
int twice(int x) { return 2 * x; } // by clang: note:5 call to __host__ function
__global__ void k(int* a) {
  a[0] = twice(a[0]);  // expect: error twice() has no __device__ in front of it // by clang: error:10 calling a __host__ function("twice")
}
int main() { std::cout << twice(2); }
// expect message: twice() has no __device__ in front of it
// clang differs: it has the host's functions before it, and says so in its own words.
