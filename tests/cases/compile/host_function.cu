int twice(int x) { return 2 * x; }  // expect: error:5 considered a host function // by clang: note:5 call to __host__ function
__global__ void k(int* a) {
  a[0] = twice(a[0]); // by clang: error:10 calling a __host__ function("twice")
}
// expect message: twice() has no __device__ in front of it
// clang differs: it names the call, and the function in a note.
