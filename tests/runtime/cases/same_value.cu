// Memory of cudaMalloc has no type: the value that two threads store, and the element, are told as the line has them.
// run: --observe race
// says: both write allocation 1[3] (line 8). Both store the same value 0.25:
#include <cstdio>

__global__ void fill(float* out, const float* from) {
  const float value = from[0] / 4;
  if (threadIdx.x % 40 == 0) out[3] = value;  // expect: race
}

int main() {
  float *out, *from, one = 1;
  cudaMalloc(&out, 64);
  cudaMalloc(&from, 64);
  cudaMemcpy(from, &one, 4, cudaMemcpyHostToDevice);
  fill<<<1, 64>>>(out, from);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(from);
}
