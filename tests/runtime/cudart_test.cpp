// gpu/runtime's library, loaded as a program loads it and called by CUDA's names, for CUDA 12 and 13; no toolkit is needed.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cudart_library.h"
#include "gpu/runtime/api.h"

namespace {

using namespace warpbook::test;

TEST(Cudart, LaunchesAndCopies) {
  const Library& cuda = library();
  int* const a = cuda.ints(1000);
  EXPECT_EQ(cuda.launch(&cuda.add, 4, 256, a, 1000), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 4, 256, a, 1000), cudaSuccess);
  EXPECT_EQ(cuda.at(a + 999), 1998);
  EXPECT_EQ(cuda("cudaFree", static_cast<void*>(a)), cudaSuccess);
  EXPECT_EQ(cuda("cudaFree", static_cast<void*>(a)), cudaErrorInvalidValue) << "it is freed already";
}

TEST(Cudart, SymbolsKeepWhatTheyAreGiven) {
  const Library& cuda = library();
  int* const a = cuda.ints(8);
  const int seven = 7;
  EXPECT_EQ(cuda("cudaMemcpyToSymbol", static_cast<const void*>(&cuda.factor), static_cast<const void*>(&seven), std::size_t{4},
                 std::size_t{0}, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 8, a, 8), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.scale, 1, 8, a, 8), cudaSuccess);
  EXPECT_EQ(cuda.at(a + 7), 49);
  std::size_t bytes = 0;
  EXPECT_EQ(cuda("cudaGetSymbolSize", &bytes, static_cast<const void*>(&cuda.factor)), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuda("cudaGetSymbolSize", &bytes, static_cast<const void*>(&seven)), cudaErrorInvalidSymbol);
  (void)cuda("cudaGetLastError");
}

TEST(Cudart, ErrorsStayUntilTheyAreAskedFor) {
  const Library& cuda = library();
  int* const a = cuda.ints(8);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 2048, a, 8), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cuda("cudaDeviceSynchronize"), cudaSuccess) << "a refused launch leaves the device as it was";
  EXPECT_EQ(cuda("cudaPeekAtLastError"), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cuda("cudaGetLastError"), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cuda("cudaGetLastError"), cudaSuccess);
  EXPECT_STREQ(cuda.call<const char*>("cudaGetErrorName", cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cuda.call<const char*>("cudaGetErrorString", cudaErrorMemoryAllocation), "out of memory");
  EXPECT_EQ(cuda.launch(&cuda.factor, 1, 1, a, 8), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cuda("cudaSetDevice", 1), cudaErrorInvalidDevice);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cuda("cudaGetLastError"); }).join();
  EXPECT_EQ(elsewhere, cudaSuccess) << "the last error is a host thread's own";
  EXPECT_EQ(cuda("cudaGetLastError"), cudaErrorInvalidDevice);
}

TEST(Cudart, CopiesKnowTheirDirection) {
  const Library& cuda = library();
  int* const a = cuda.ints(8);
  std::array<int, 8> host{1, 2, 3, 4, 5, 6, 7, 8};
  const auto copy = [&](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return cuda("cudaMemcpy", to, from, bytes, kind);
  };
  EXPECT_EQ(copy(a, host.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(copy(a, host.data(), 32, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(copy(a, host.data(), 32, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host.data(), a, 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(a, host.data(), 32, 9), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(copy(a, host.data(), 36, cudaMemcpyHostToDevice), cudaErrorInvalidValue) << "more than was allocated";
  void* pinned = nullptr;
  EXPECT_EQ(cuda("cudaMallocHost", &pinned, std::size_t{32}), cudaSuccess);
  EXPECT_EQ(copy(a, pinned, 32, cudaMemcpyHostToDevice), cudaSuccess) << "pinned memory is the host's";
  EXPECT_EQ(cuda("cudaFree", pinned), cudaErrorInvalidValue) << "cudaFreeHost frees it";
  EXPECT_EQ(cuda("cudaFreeHost", pinned), cudaSuccess);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cuda("cudaPointerGetAttributes", &attributes, static_cast<const void*>(a + 3)), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  (void)cuda("cudaGetLastError");
}

TEST(Cudart, StreamsEventsAndGraphs) {
  const Library& cuda = library();
  int* const a = cuda.ints(32);
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  EXPECT_EQ(cuda("cudaStreamCreate", &stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventCreate", &begin), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventCreate", &end), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cuda("cudaEventElapsedTime", &ms, begin, end), cudaErrorInvalidResourceHandle) << "not recorded yet";
  EXPECT_EQ(cuda("cudaEventRecord", begin, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaStreamBeginCapture", stream, 0), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 32, a, 32, stream), cudaSuccess);
  EXPECT_EQ(cuda.at(a + 31), 0) << "captured, not run";
  EXPECT_EQ(cuda("cudaStreamSynchronize", stream), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  EXPECT_EQ(cuda("cudaStreamEndCapture", stream, &graph), cudaSuccess);
  std::size_t nodes = 0;
  EXPECT_EQ(cuda("cudaGraphGetNodes", graph, static_cast<cudaGraphNode_t*>(nullptr), &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1u);
  EXPECT_EQ(cuda("cudaGraphInstantiate", &ready, graph, 0ull), cudaSuccess);
  for (int n = 0; n < 5; ++n) EXPECT_EQ(cuda("cudaGraphLaunch", ready, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventRecord", end, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventElapsedTime", &ms, begin, end), cudaSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(cuda.at(a + 31), 5 * 31);
  EXPECT_EQ(cuda("cudaGraphExecDestroy", ready), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphDestroy", graph), cudaSuccess);
  EXPECT_EQ(cuda("cudaStreamDestroy", stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaStreamDestroy", stream), cudaErrorInvalidResourceHandle);
  (void)cuda("cudaGetLastError");
}

TEST(Cudart, SeveralHostThreads) {
  const Library& cuda = library();
  int* const a = cuda.ints(32);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) EXPECT_EQ(cuda.launch(&cuda.add, 1, 32, a, 32), cudaSuccess);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cuda.at(a + 31), 200 * 31);
}

TEST(Cudart, EveryNameOfTheTableIsThere) {
  for (const int version : {12, 13}) {
    const std::string file = std::string(CUDART_FOLDER "/libcudart.so.") + std::to_string(version);
    void* const handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    ASSERT_TRUE(handle) << dlerror();
    const std::string node = "libcudart.so." + std::to_string(version);
#define CUDART_ENTRY(name) EXPECT_TRUE(dlvsym(handle, #name, node.c_str())) << #name << " of " << node;
#include "gpu/runtime/entry_points.def"
#undef CUDART_ENTRY
  }
}

TEST(Cudart, PropertiesOfBothVersions) {
  // The offsets are those of the reference manuals' structs; both end in room that no call fills.
  std::array<char, 2048> bytes{};
  EXPECT_EQ(library()("cudaGetDeviceProperties", bytes.data(), 0), cudaSuccess);
  int warp = 0;
  std::memcpy(&warp, bytes.data() + 308, 4);
  EXPECT_EQ(warp, 32);
  EXPECT_EQ(library()("cudaGetDeviceProperties", bytes.data(), 1), cudaErrorInvalidDevice);
  int version = 0;
  EXPECT_EQ(library()("cudaRuntimeGetVersion", &version), cudaSuccess);
  EXPECT_EQ(version, 13000);
  (void)library()("cudaGetLastError");
}

// Last of all: the device is lost after it.
TEST(CudartZFault, StaysForEveryFurtherCall) {
  const Library& cuda = library();
  int* const a = cuda.ints(1000);
  EXPECT_EQ(cuda.launch(&cuda.beyond, 1, 1, a, 1000), cudaSuccess) << "the launch itself is taken";
  EXPECT_EQ(cuda("cudaGetLastError"), cudaSuccess) << "nobody has waited for it yet";
  EXPECT_EQ(cuda("cudaDeviceSynchronize"), cudaErrorIllegalAddress);
  EXPECT_EQ(cuda("cudaGetLastError"), cudaErrorIllegalAddress);
  EXPECT_EQ(cuda("cudaGetLastError"), cudaErrorIllegalAddress) << "it does not go away";
  void* pointer = nullptr;
  EXPECT_EQ(cuda("cudaMalloc", &pointer, std::size_t{4}), cudaErrorIllegalAddress);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 1, a, 1), cudaErrorIllegalAddress);
}

}  // namespace
