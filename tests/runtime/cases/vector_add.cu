// prints: 2997
// run: --observe all
#include <cstdio>

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  float h_a[n], h_b[n], h_c[n];
  for (int i = 0; i < n; ++i) {
    h_a[i] = i;
    h_b[i] = 2 * i;
  }
  float *a, *b, *c;
  cudaMalloc(&a, sizeof h_a);
  cudaMalloc(&b, sizeof h_b);
  cudaMalloc(&c, sizeof h_c);
  cudaMemcpy(a, h_a, sizeof h_a, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h_b, sizeof h_b, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  cudaMemcpy(h_c, c, sizeof h_c, cudaMemcpyDeviceToHost);
  printf("%g\n", h_c[n - 1]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
