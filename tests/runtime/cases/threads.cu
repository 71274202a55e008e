// Several host threads, each with a stream of its own.
// prints: 400
// run: --fail-on-findings
#include <cstdio>
#include <thread>
#include <vector>

__global__ void add(int* data) { atomicAdd(data, 1); }

int main() {
  int* data;
  cudaMallocManaged(&data, sizeof(int));
  *data = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([=] {
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      for (int n = 0; n < 100; ++n) add<<<1, 1, 0, stream>>>(data);
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
    });
  for (auto& thread : threads) thread.join();
  printf("%d\n", *data);
  cudaFree(data);
}
