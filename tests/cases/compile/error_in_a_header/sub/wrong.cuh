__device__ inline int sum(int x) {
  int unused = 1;        // expect: warning:7 was declared but never referenced // by clang: nothing
  return x + oops;       // expect: error:14 identifier "oops" is undefined
}
