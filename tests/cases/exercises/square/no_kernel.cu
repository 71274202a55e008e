// expect: refused __global__
__device__ float squared(float x) { return x * x; }
