int twice(int x) { return 2 * x; }  // expect: error:5 considered a host function
__global__ void k(int* a) {
  a[0] = twice(a[0]);
}
// expect message: twice() has no __device__ in front of it
