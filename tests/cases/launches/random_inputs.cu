// Random numbers, a block size tried in a loop, an array that is copied from an offset, arrays of the host by themselves.
#include <cstdlib>
#include <numeric>
#include <vector>
typedef unsigned int word;
const word blocks = 1 << 4;
__global__ void mix(word* v, const int* order) {}
int main() {
  static int order[blocks][32] = {0};
  std::vector<word> values(blocks * 32);
  for (auto& each : values) each = 1;
  word *v, *u;
  int* on_device;
  cudaMalloc(&v, values.size() * sizeof(word));
  cudaMalloc(&u, 2048);
  cudaMalloc(&on_device, sizeof(order));
  for (size_t i = 0; i < values.size(); ++i) values[i] = rand() % 100;
  cudaMemcpy(v, &values[0], 2048, cudaMemcpyHostToDevice);
  cudaMemcpy(on_device, order, sizeof order, cudaMemcpyHostToDevice);
  for (int threads = 32; threads <= 1024; threads *= 2) {
    // launch: mix<<<16,1,1; 32,1,1; 0>>>(2048 bytes of random numbers, 2048 bytes of 0)
    mix<<<blocks, threads>>>(v, on_device);
  }
  std::iota(values.begin(), values.end(), 0);
  cudaMemcpy(u, values.data(), 2048, cudaMemcpyHostToDevice);
  const int count = sizeof(order) / sizeof(order[0][0]) / 128;
  // launch: mix<<<4,1,1; 16,1,1; 0>>>(2048 bytes of 0 1 2, 2048 bytes of 0)
  mix<<<dim3(count), dim3{16}>>>(u, on_device);
}
