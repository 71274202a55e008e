// A class with a pure virtual function, and objects that a kernel makes.
// prints: 3 4
// run: --observe memory --fail-on-findings
#include <cstdio>

struct Shape {
  __device__ virtual int sides() const = 0;
  __device__ virtual ~Shape() {}
};
struct Triangle : Shape {
  __device__ int sides() const override { return 3; }
};
struct Square : Shape {
  __device__ int sides() const override { return 4; }
};

__global__ void count(int* out) {
  Shape* shape;
  if (threadIdx.x % 2)
    shape = new Square;
  else
    shape = new Triangle;
  out[threadIdx.x] = shape->sides();
  delete shape;
}

int main() {
  int *out, host[32];
  cudaMalloc(&out, sizeof host);
  count<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[0], host[1]);
  cudaFree(out);
}
