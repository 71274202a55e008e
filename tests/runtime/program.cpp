// A whole CUDA program without nvcc: what it is told to do is its first argument. exec_test runs it under `warpbook exec`.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/runtime/api.h"
#include "hand_made.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** module, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*);
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream);
cudaError_t cudaMalloc(void** pointer, std::size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMemset(void* at, int value, std::size_t bytes);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize();
void __cudaRegisterVar(void** module, char* shadow, char*, const char* name, int, std::size_t bytes, int constant, int);
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaGetLastError();
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaMallocMipmappedArray(void*, void*, cudaExtent, unsigned, unsigned);
}

namespace {

char add_stub, beyond_stub, count_stub, spin_stub, scale_stub, follow_stub, factor_shadow;

void start(std::uint16_t kind) {
  static std::vector<char> bytes = warpbook::test::fat_binary(warpbook::test::hand_made_ptx, kind);
  static warpbook::test::Wrapper wrapper{0x466243b1, 1, bytes.data(), nullptr};
  void** const module = __cudaRegisterFatBinary(&wrapper);
  const auto name = [&](const char* stub, const char* kernel) {
    __cudaRegisterFunction(module, stub, nullptr, kernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  name(&add_stub, "add");
  name(&beyond_stub, "beyond");
  name(&count_stub, "count");
  name(&spin_stub, "spin");
  name(&scale_stub, "scale");
  name(&follow_stub, "follow");
  __cudaRegisterVar(module, &factor_shadow, nullptr, "factor", 0, 4, 1, 0);
}

cudaError_t launch(const char* stub, unsigned blocks, unsigned threads, void* pointer, int count, cudaStream_t stream = nullptr) {
  std::array<void*, 2> arguments{&pointer, &count};
  return cudaLaunchKernel(stub, {blocks}, {threads}, arguments.data(), 0, stream);
}

void* ints(int count) {
  void* pointer = nullptr;
  if (cudaMalloc(&pointer, static_cast<std::size_t>(count) * 4) != cudaSuccess) std::exit(3);
  if (cudaMemset(pointer, 0, static_cast<std::size_t>(count) * 4) != cudaSuccess) std::exit(3);
  return pointer;
}

int last_of(void* pointer, int count) {
  int value = -1;
  (void)cudaMemcpy(&value, static_cast<int*>(pointer) + count - 1, 4, cudaMemcpyDeviceToHost);
  return value;
}

/// The sum of an array, as a host that copies it back sees it.
long sum_of(void* pointer, int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  (void)cudaMemcpy(values.data(), pointer, values.size() * 4, cudaMemcpyDeviceToHost);
  long sum = 0;
  for (const int value : values) sum += value;
  return sum;
}

/// Launches in two streams, a __constant__ variable and a pointer in memory. After each launch the sum of `a` is printed.
void several(void* a) {
  cudaStream_t stream = nullptr;
  (void)cudaStreamCreate(&stream);
  void* const pointers = ints(2);
  (void)cudaMemcpy(pointers, &a, sizeof a, cudaMemcpyHostToDevice);
  const auto after = [&](cudaError_t error) { std::printf("%s %ld\n", cudaGetErrorName(error), sum_of(a, 1000)); };
  after(launch(&add_stub, 4, 256, a, 1000));
  for (const int factor : {3, 2}) {
    (void)cudaMemcpyToSymbol(&factor_shadow, &factor, 4, 0, cudaMemcpyHostToDevice);
    after(launch(&scale_stub, 1, 64, a, 50, stream));
    (void)cudaStreamSynchronize(stream);
  }
  after(launch(&follow_stub, 1, 1, pointers, 7));
  (void)cudaFree(pointers);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "add";
  if (what == "nothing") return 7;
  start(what == "machine_code" ? 2 : 1);
  if (what == "idle") return 0;
  if (what == "missing") return cudaMallocMipmappedArray(nullptr, nullptr, {}, 0, 0);
  void* const a = ints(1000);
  if (what == "crash") {
    (void)launch(&add_stub, 4, 256, a, 1000);
    return *reinterpret_cast<volatile int*>(16);
  }
  if (what == "abort") std::abort();
  if (what == "silent" || what == "machine_code") (void)launch(&add_stub, 4, 256, a, 1000);
  if (what == "host_reads") return *static_cast<volatile int*>(a);
  if (what == "spin") (void)launch(&spin_stub, 1, 32, a, 0);
  if (what == "race") (void)launch(&count_stub, 2, 64, a, 0);
  if (what == "beyond") {
    (void)launch(&beyond_stub, 1, 1, a, 1000);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 4;
  }
  if (what == "refused") (void)launch(&add_stub, 1, 4096, a, 1000);
  if (what == "asked") {
    (void)launch(&add_stub, 1, 4096, a, 1000);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  }
  if (what == "ignored") (void)cudaMemcpy(a, nullptr, 40000, cudaMemcpyHostToDevice);
  if (what == "several") several(a);
  if (what == "leak") return 0;
  if (what == "fork") {
    std::fflush(stdout);
    if (fork() == 0) {
      const cudaError_t error = launch(&add_stub, 4, 256, a, 1000);
      std::printf("child: %s\n", cudaGetErrorName(error));
      std::exit(0);
    }
    int status = 0;
    wait(&status);
  }
  if (what == "add" || what == "fork") {
    (void)launch(&add_stub, 4, 256, a, 1000);
    std::printf("%d\n", last_of(a, 1000));
  }
  if (what == "many") {
    for (int n = 0; n < std::atoi(argv[2]); ++n) (void)launch(&add_stub, 1, 32, a, 32);
    std::printf("%d\n", last_of(a, 32));
  }
  return cudaFree(a) == cudaSuccess ? 0 : 5;
}
