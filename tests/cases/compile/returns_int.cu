__global__ int k(int* a) {  // expect: error:1 a __global__ function must have a void return type // by clang: error:12 must have void return type
  return a[0];
}
// clang differs: in its words and column.
