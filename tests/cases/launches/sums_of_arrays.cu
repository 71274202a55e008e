// The usual first program: a size, three arrays, a loop that fills two of them, a rounded-up number of blocks.
#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
__global__ void sum(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main() {
  const int n = 10000;
  size_t bytes = n * sizeof(float);
  float* ha = (float*)malloc(bytes);
  float* hb = new float[n];
  for (int i = 0; i < n; i++) {
    ha[i] = i;
    hb[i] = 0.5f;
  }
  float *a, *b, *c;
  CHECK(cudaMalloc((void**)&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMemcpy(a, ha, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, hb, bytes, cudaMemcpyHostToDevice));
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  // launch: sum<<<40,1,1; 256,1,1; 0>>>(40000 bytes of 0 1 2, 40000 bytes of 0.5, 40000 bytes, 10000)
  sum<<<blocks, threads>>>(a, b, c, n);
  CHECK(cudaDeviceSynchronize());
}
