// A program that gives up at an error of its own: what it has not freed is no finding.
// exit: 1
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
  if (const cudaError_t error = call; error != cudaSuccess) {                         \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(error));                  \
    std::exit(1);                                                                     \
  }

// prints: line 17: cudaErrorInvalidValue
int main() {
  float host[4] = {}, *device, *other;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMalloc(&other, sizeof host));
  CHECK(cudaMemcpy(device, host, sizeof host + 1, cudaMemcpyHostToDevice));
}
