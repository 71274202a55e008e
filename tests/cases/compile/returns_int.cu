__global__ int k(int* a) {  // expect: error:1 a __global__ function must have a void return type
  return a[0];
}
