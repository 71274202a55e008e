// A program as its author compiles it with nvcc, host and all.
#include <cuda_runtime.h>
#include <chrono>  // expect left out: <chrono>
#include <cstdlib>
#include <iostream>  // expect left out: <iostream>
#include "book.h"  // expect left out: "book.h"

#define CHECK(call)                                          \
  do {                                                       \
    cudaError_t status = call;                               \
    if (status != cudaSuccess) {                             \
      std::cerr << cudaGetErrorString(status) << std::endl;  \
      exit(1);                                               \
    }                                                        \
  } while (0)
#define HD __host__ __device__ __forceinline__
#define TILE 16

using Clock = std::chrono::steady_clock;
const int n = 1 << 10;
float *h_a, *h_b;  // expect left out: h_a
__constant__ float weights[3];

struct Point {
  float x, y;
  HD Point(float x_, float y_) : x(x_), y{y_} {}
  HD Point operator+(const Point& other) const { return {x + other.x, y + other.y}; }
  void print() const { std::cout << x << y; }  // expect left out: print()
};

template <typename T>
__global__ void scale(T* a, T factor, int count) {
  __shared__ T tile[TILE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) tile[threadIdx.x % TILE] = a[i] = factor * a[i];
}
template __global__ void scale<float>(float*, float, int);  // expect kernel: scale<float>(float* a, float factor, int count)

constexpr int twice(int a) { return 2 * a; }
HD float square(float a) { return a * a; }

// expect kernel: add(const Point* a, float* b, uint count)
__global__ void add(const Point* a, float* b, uint count) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) b[i] = square((a[i] + Point(1, 2)).x) + weights[0] + twice(3) + n;
}

void fill(float* a, int count) {  // expect left out: fill()
  for (int i = 0; i < count; ++i) a[i] = rand() / (float)RAND_MAX;
}

int main(int argc, char** argv) {  // expect left out: main()
  const auto begin = Clock::now();
  CHECK(cudaMalloc(&h_a, n * sizeof(float)));
  auto square_all = [&](int count) { fill(h_a, count); };
  square_all(argc > 1 ? atoi(argv[1]) : n);
  scale<float><<<(n + 255) / 256, 256>>>(h_a, 2.0f, n);
  CHECK(cudaDeviceSynchronize());
  std::cout << R"(took {)" << (Clock::now() - begin).count() << std::endl;
  return 0;
}
