// Arrays, textures, surfaces, pools and the memory of graphs: right use, with what must come out worked out here, and misuse with
// the error that CUDA's reference manual names.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include "cudart_library.h"

namespace {

using namespace warpbook::test;

constexpr cudaChannelFormatDesc floats{32, 0, 0, 0, cudaChannelFormatKindFloat};
constexpr cudaChannelFormatDesc bytes4{8, 8, 8, 8, cudaChannelFormatKindUnsigned};

/// An array of floats that count up from 0, row by row.
cudaArray_t counted(const Library& cuda, std::size_t width, std::size_t height, unsigned flags = 0) {
  cudaArray_t array = nullptr;
  EXPECT_EQ(cuda("cudaMallocArray", &array, &floats, width, height, flags), cudaSuccess);
  std::vector<float> texels(width * std::max<std::size_t>(height, 1));
  for (std::size_t n = 0; n < texels.size(); ++n) texels[n] = static_cast<float>(n);
  EXPECT_EQ(cuda("cudaMemcpy2DToArray", array, std::size_t{0}, std::size_t{0}, static_cast<const void*>(texels.data()), width * 4,
                 width * 4, std::max<std::size_t>(height, 1), cudaMemcpyHostToDevice),
            cudaSuccess);
  return array;
}

TEST(CudartArrays, KeepWhatIsCopiedIntoThem) {
  const Library& cuda = library();
  const cudaArray_t array = counted(cuda, 8, 4);
  std::array<float, 6> part{};
  EXPECT_EQ(cuda("cudaMemcpy2DFromArray", static_cast<void*>(part.data()), std::size_t{12}, array, std::size_t{8}, std::size_t{1},
                 std::size_t{12}, std::size_t{2}, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(part, (std::array<float, 6>{10, 11, 12, 18, 19, 20})) << "x counts bytes, y rows";
  std::array<float, 5> run{};
  EXPECT_EQ(cuda("cudaMemcpyFromArray", static_cast<void*>(run.data()), array, std::size_t{24}, std::size_t{0}, std::size_t{20},
                 cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(run, (std::array<float, 5>{6, 7, 8, 9, 10})) << "it goes on in the next row";
  cudaExtent extent{};
  unsigned flags = 9;
  cudaChannelFormatDesc format{};
  EXPECT_EQ(cuda("cudaArrayGetInfo", &format, &extent, &flags, array), cudaSuccess);
  EXPECT_EQ(extent.width, 8u);
  EXPECT_EQ(extent.height, 4u);
  EXPECT_EQ(extent.depth, 0u);
  EXPECT_EQ(format.x, 32);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(cuda("cudaFreeArray", array), cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeArray", array), cudaErrorInvalidValue) << "it is freed already";
  EXPECT_EQ(cuda("cudaFreeArray", static_cast<cudaArray_t>(nullptr)), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

TEST(CudartArrays, BoxesAreCountedInTexels) {
  const Library& cuda = library();
  cudaArray_t array = nullptr;
  EXPECT_EQ(cuda("cudaMalloc3DArray", &array, &floats, cudaExtent{4, 3, 2}, 0u), cudaSuccess);
  std::array<float, 24> texels{}, back{};
  for (std::size_t n = 0; n < texels.size(); ++n) texels[n] = static_cast<float>(n);
  cudaMemcpy3DParms into{};
  into.srcPtr = {texels.data(), 16, 4, 3};
  into.dstArray = array;
  into.extent = {4, 3, 2};
  into.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cuda("cudaMemcpy3D", static_cast<const cudaMemcpy3DParms*>(&into)), cudaSuccess);
  cudaMemcpy3DParms out{};
  out.srcArray = array;
  out.srcPos = {1, 2, 1};
  out.dstPtr = {back.data(), 16, 4, 3};
  out.extent = {2, 1, 1};
  out.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cuda("cudaMemcpy3D", static_cast<const cudaMemcpy3DParms*>(&out)), cudaSuccess);
  EXPECT_EQ(back[0], 21);
  EXPECT_EQ(back[1], 22);
  out.extent.width = 4;
  EXPECT_EQ(cuda("cudaMemcpy3D", static_cast<const cudaMemcpy3DParms*>(&out)), cudaErrorInvalidValue) << "beyond the row's end";
  EXPECT_EQ(cuda("cudaFreeArray", array), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

TEST(CudartArrays, RefuseWhatIsNone) {
  const Library& cuda = library();
  cudaArray_t array = nullptr;
  const auto make = [&](cudaChannelFormatDesc format, cudaExtent extent, unsigned flags) {
    return cuda("cudaMalloc3DArray", &array, &format, extent, flags);
  };
  EXPECT_EQ(make(floats, {0, 4, 0}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(make({8, 8, 8, 0, cudaChannelFormatKindUnsigned}, {4, 4, 0}, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(make({8, 0, 0, 0, cudaChannelFormatKindFloat}, {4, 4, 0}, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(make(floats, {4, 4, 0}, cudaArrayLayered), cudaErrorInvalidValue) << "no layers";
  EXPECT_EQ(make(floats, {4, 5, 6}, cudaArrayCubemap), cudaErrorInvalidValue) << "its faces are no squares";
  EXPECT_EQ(make(floats, {4, 4, 7}, cudaArrayCubemap), cudaErrorInvalidValue);
  const cudaArray_t good = counted(cuda, 4, 4);
  float texel = 0;
  EXPECT_EQ(cuda("cudaMemcpy2DToArray", good, std::size_t{12}, std::size_t{0}, static_cast<const void*>(&texel), std::size_t{8},
                 std::size_t{8}, std::size_t{1}, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue)
      << "beyond the row's end";
  EXPECT_EQ(cuda("cudaFreeArray", good), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

cudaTextureDesc linear() {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = 1;
  how.filterMode = 1;
  return how;
}
cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.res.array.array = array;
  return resource;
}

TEST(CudartTextures, AreReadWithTheirFilter) {
  const Library& cuda = library();
  constexpr std::size_t width = 8, height = 4, across = 20, down = 12;
  const cudaArray_t array = counted(cuda, width, height);
  const cudaResourceDesc resource = resource_of(array);
  const cudaTextureDesc how = linear();
  cudaTextureObject_t texture = 0;
  EXPECT_EQ(cuda("cudaCreateTextureObject", &texture, &resource, &how, static_cast<const void*>(nullptr)), cudaSuccess);
  float* const out = reinterpret_cast<float*>(cuda.ints(across * down));
  void* pointer = out;
  std::array<void*, 2> arguments{&pointer, &texture};
  EXPECT_EQ(cuda("cudaLaunchKernel", static_cast<const void*>(&cuda.fetch), dim3{1}, dim3{across, down}, arguments.data(),
                 std::size_t{0}, cudaStream_t{}),
            cudaSuccess);
  EXPECT_EQ(cuda("cudaDeviceSynchronize"), cudaSuccess);
  // Texel (i, j) holds 8 j + i, so between the middles of texels the value is linear, and beyond them it stays.
  for (std::size_t y = 0; y < down; ++y)
    for (std::size_t x = 0; x < across; ++x) {
      const double i = std::clamp(static_cast<double>(x) / 2 - 0.5, 0.0, width - 1.0),
                   j = std::clamp(static_cast<double>(y) / 2 - 0.5, 0.0, height - 1.0);
      EXPECT_NEAR(out[y * across + x], width * j + i, 1e-5) << x << " " << y;
    }
  cudaTextureDesc told{};
  EXPECT_EQ(cuda("cudaGetTextureObjectTextureDesc", &told, texture), cudaSuccess);
  EXPECT_EQ(told.filterMode, 1);
  EXPECT_EQ(cuda("cudaDestroyTextureObject", texture), cudaSuccess);
  EXPECT_EQ(cuda("cudaDestroyTextureObject", texture), cudaErrorInvalidValue) << "it is destroyed already";
  EXPECT_EQ(cuda("cudaFreeArray", array), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

TEST(CudartTextures, RefuseWhatTheHardwareCannotRead) {
  const Library& cuda = library();
  cudaTextureObject_t texture = 0;
  const auto make = [&](const cudaResourceDesc& resource, const cudaTextureDesc& how) {
    return cuda("cudaCreateTextureObject", &texture, &resource, &how, static_cast<const void*>(nullptr));
  };
  cudaArray_t integers = nullptr;
  EXPECT_EQ(cuda("cudaMallocArray", &integers, &bytes4, std::size_t{4}, std::size_t{4}, 0u), cudaSuccess);
  cudaTextureDesc how = linear();
  EXPECT_EQ(make(resource_of(integers), how), cudaErrorInvalidFilterSetting) << "integers have no values between them";
  how.readMode = 1;
  EXPECT_EQ(make(resource_of(integers), how), cudaSuccess) << "read as 0 to 1 they have";
  EXPECT_EQ(cuda("cudaDestroyTextureObject", texture), cudaSuccess);
  how.addressMode[1] = 7;
  EXPECT_EQ(make(resource_of(integers), how), cudaErrorInvalidValue);
  EXPECT_EQ(make(resource_of(nullptr), linear()), cudaErrorInvalidValue);
  EXPECT_EQ(cuda("cudaFreeArray", integers), cudaSuccess);
  EXPECT_EQ(make(resource_of(integers), linear()), cudaErrorInvalidValue) << "the array is freed";
  int* const memory = cuda.ints(1024);
  cudaResourceDesc pitched{};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D = {memory, floats, 4, 4, 48};
  EXPECT_EQ(make(pitched, linear()), cudaErrorInvalidValue) << "48 is no multiple of texturePitchAlignment";
  pitched.res.pitch2D.pitchInBytes = 32;
  EXPECT_EQ(make(pitched, linear()), cudaSuccess);
  EXPECT_EQ(cuda("cudaDestroyTextureObject", texture), cudaSuccess);
  pitched.res.pitch2D.height = 1024;
  EXPECT_EQ(make(pitched, linear()), cudaErrorInvalidValue) << "more rows than the memory has";
  cudaSurfaceObject_t surface = 0;
  const cudaArray_t plain = counted(cuda, 4, 4), storable = counted(cuda, 4, 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = resource_of(plain);
  EXPECT_EQ(cuda("cudaCreateSurfaceObject", &surface, &resource), cudaErrorInvalidValue) << "without cudaArraySurfaceLoadStore";
  resource = resource_of(storable);
  EXPECT_EQ(cuda("cudaCreateSurfaceObject", &surface, &resource), cudaSuccess);
  EXPECT_EQ(cuda("cudaDestroySurfaceObject", surface), cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeArray", plain), cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeArray", storable), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

std::uint64_t count_of(const Library& cuda, cudaMemPool_t pool, int attribute) {
  std::uint64_t value = 0;
  EXPECT_EQ(cuda("cudaMemPoolGetAttribute", pool, attribute, static_cast<void*>(&value)), cudaSuccess);
  return value;
}
constexpr int threshold = 4, reserved = 5, used = 7, used_high = 8;

TEST(CudartPools, CountWhatTheyGive) {
  const Library& cuda = library();
  cudaMemPool_t pool = nullptr, current = nullptr;
  EXPECT_EQ(cuda("cudaDeviceGetDefaultMemPool", &pool, 0), cudaSuccess);
  EXPECT_EQ(cuda("cudaDeviceGetDefaultMemPool", &pool, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cuda("cudaDeviceGetMemPool", &current, 0), cudaSuccess);
  EXPECT_EQ(current, pool);
  void *a = nullptr, *b = nullptr;
  EXPECT_EQ(cuda("cudaMallocAsync", &a, std::size_t{1000}, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaMallocAsync", &b, std::size_t{500}, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(count_of(cuda, pool, used), 1500u);
  EXPECT_GE(count_of(cuda, pool, reserved), 1500u);
  EXPECT_EQ(cuda("cudaFreeAsync", a, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaFree", b), cudaSuccess) << "cudaFree takes it, too";
  EXPECT_EQ(cuda("cudaFreeAsync", b, cudaStream_t{}), cudaErrorInvalidValue) << "it is freed already";
  EXPECT_EQ(count_of(cuda, pool, used), 0u);
  EXPECT_EQ(count_of(cuda, pool, reserved), 0u) << "nothing is kept below a threshold of 0";
  EXPECT_EQ(count_of(cuda, pool, used_high), 1500u);
  std::uint64_t value = 7;
  EXPECT_EQ(cuda("cudaMemPoolSetAttribute", pool, used_high, static_cast<void*>(&value)), cudaErrorInvalidValue) << "0 alone";
  value = 0;
  EXPECT_EQ(cuda("cudaMemPoolSetAttribute", pool, used_high, static_cast<void*>(&value)), cudaSuccess);
  EXPECT_EQ(count_of(cuda, pool, used_high), 0u);
  value = ~std::uint64_t{0};
  EXPECT_EQ(cuda("cudaMemPoolSetAttribute", pool, threshold, static_cast<void*>(&value)), cudaSuccess);
  EXPECT_EQ(cuda("cudaMallocAsync", &a, std::size_t{1000}, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeAsync", a, cudaStream_t{}), cudaSuccess);
  EXPECT_GE(count_of(cuda, pool, reserved), 1000u) << "kept for the next";
  EXPECT_EQ(cuda("cudaMemPoolTrimTo", pool, std::size_t{0}), cudaSuccess);
  EXPECT_EQ(count_of(cuda, pool, reserved), 0u);
  EXPECT_EQ(cuda("cudaMemPoolDestroy", pool), cudaErrorInvalidValue) << "the default one stays";
  (void)cuda("cudaGetLastError");
}

TEST(CudartPools, OfTheProgramsOwn) {
  const Library& cuda = library();
  cudaMemPool_t pool = nullptr, usual = nullptr, now = nullptr;
  cudaMemPoolProps wanted{};
  EXPECT_EQ(cuda("cudaMemPoolCreate", &pool, &wanted), cudaErrorInvalidValue) << "of no kind of memory";
  wanted.allocType = 1;
  wanted.location = {1, 1};
  EXPECT_EQ(cuda("cudaMemPoolCreate", &pool, &wanted), cudaErrorInvalidDevice);
  wanted.location = {1, 0};
  EXPECT_EQ(cuda("cudaMemPoolCreate", &pool, &wanted), cudaSuccess);
  EXPECT_EQ(cuda("cudaDeviceGetMemPool", &usual, 0), cudaSuccess);
  EXPECT_EQ(cuda("cudaDeviceSetMemPool", 0, pool), cudaSuccess);
  void* a = nullptr;
  EXPECT_EQ(cuda("cudaMallocAsync", &a, std::size_t{64}, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(count_of(cuda, pool, used), 64u);
  cudaMemAccessDesc access{{1, 0}, 3};
  EXPECT_EQ(cuda("cudaMemPoolSetAccess", pool, static_cast<const cudaMemAccessDesc*>(&access), std::size_t{1}), cudaSuccess);
  access.flags = 0;
  EXPECT_EQ(cuda("cudaMemPoolSetAccess", pool, static_cast<const cudaMemAccessDesc*>(&access), std::size_t{1}),
            cudaErrorInvalidValue)
      << "a device cannot be kept from its own pool";
  EXPECT_EQ(cuda("cudaMemPoolDestroy", pool), cudaSuccess) << "its memory lasts until it is freed";
  EXPECT_EQ(cuda("cudaDeviceGetMemPool", &now, 0), cudaSuccess);
  EXPECT_EQ(now, usual);
  EXPECT_EQ(cuda("cudaMemset", a, 1, std::size_t{64}), cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeAsync", a, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaMallocFromPoolAsync", &a, std::size_t{64}, pool, cudaStream_t{}), cudaErrorInvalidValue) << "destroyed";
  (void)cuda("cudaGetLastError");
}

TEST(CudartGraphMemory, IsAllocatedByEachLaunch) {
  const Library& cuda = library();
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cuda("cudaStreamCreate", &stream), cudaSuccess);
  int* const out = cuda.ints(8);
  void* a = nullptr;
  EXPECT_EQ(cuda("cudaStreamBeginCapture", stream, 0), cudaSuccess);
  EXPECT_EQ(cuda("cudaMallocAsync", &a, std::size_t{32}, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaMemsetAsync", a, 0, std::size_t{32}, stream), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 8, a, 8, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaMemcpyAsync", static_cast<void*>(out), static_cast<const void*>(a), std::size_t{32}, cudaMemcpyDeviceToDevice,
                 stream),
            cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeAsync", a, stream), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  EXPECT_EQ(cuda("cudaStreamEndCapture", stream, &graph), cudaSuccess);
  EXPECT_EQ(cuda("cudaFree", a), cudaErrorInvalidValue) << "no launch has allocated it";
  EXPECT_EQ(cuda("cudaGraphInstantiate", &ready, graph, 0ull), cudaSuccess);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(cuda("cudaGraphLaunch", ready, stream), cudaSuccess);
  EXPECT_EQ(cuda.at(out + 7), 7) << "each launch begins anew";
  EXPECT_EQ(cuda("cudaGraphExecDestroy", ready), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphDestroy", graph), cudaSuccess);
  EXPECT_EQ(cuda("cudaMemset", a, 0, std::size_t{32}), cudaErrorInvalidValue) << "with the graph its memory went";
  EXPECT_EQ(cuda("cudaStreamDestroy", stream), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

TEST(CudartGraphs, EventsOfACaptureAreNoNodes) {
  const Library& cuda = library();
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t fork = nullptr, outside = nullptr;
  EXPECT_EQ(cuda("cudaStreamCreate", &stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaStreamCreate", &other), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventCreate", &fork), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventCreate", &outside), cudaSuccess);
  int* const a = cuda.ints(8);
  EXPECT_EQ(cuda("cudaEventRecordWithFlags", outside, stream, 1u), cudaErrorIllegalState) << "external, and nothing is captured";
  EXPECT_EQ(cuda("cudaStreamBeginCapture", stream, 0), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 8, a, 8, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventRecord", fork, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaStreamWaitEvent", other, fork, 0u), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 8, a, 8, other), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventSynchronize", fork), cudaErrorCapturedEvent);
  EXPECT_EQ(cuda("cudaEventRecordWithFlags", outside, other, 1u), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cuda("cudaStreamEndCapture", stream, &graph), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventDestroy", fork), cudaSuccess) << "before the launch";
  std::size_t nodes = 0;
  EXPECT_EQ(cuda("cudaGraphGetNodes", graph, static_cast<cudaGraphNode_t*>(nullptr), &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 3u) << "two kernels and the external event";
  cudaGraphExec_t ready = nullptr;
  EXPECT_EQ(cuda("cudaGraphInstantiate", &ready, graph, 0ull), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphLaunch", ready, stream), cudaSuccess);
  EXPECT_EQ(cuda("cudaEventQuery", outside), cudaSuccess);
  EXPECT_EQ(cuda.at(a + 7), 14);
  EXPECT_EQ(cuda("cudaEventDestroy", outside), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphLaunch", ready, stream), cudaErrorInvalidResourceHandle) << "its event is gone";
  (void)cuda("cudaGetLastError");
}

TEST(CudartGraphMemory, LeftAllocatedByALaunch) {
  const Library& cuda = library();
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cuda("cudaGraphCreate", &graph, 0u), cudaSuccess);
  cudaMemAllocNodeParams wanted{};
  wanted.bytesize = 32;
  EXPECT_EQ(cuda("cudaGraphAddMemAllocNode", &node, graph, static_cast<const cudaGraphNode_t*>(nullptr), std::size_t{0}, &wanted),
            cudaSuccess);
  int* const memory = static_cast<int*>(wanted.dptr);
  EXPECT_EQ(cuda("cudaGraphAddMemFreeNode", &node, graph, static_cast<const cudaGraphNode_t*>(nullptr), std::size_t{0},
                 static_cast<void*>(&node)),
            cudaErrorInvalidValue)
      << "memory of no graph";
  cudaGraphExec_t ready = nullptr, again = nullptr;
  EXPECT_EQ(cuda("cudaGraphInstantiate", &ready, graph, 0ull), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphInstantiate", &again, graph, 1ull), cudaSuccess) << "cudaGraphInstantiateFlagAutoFreeOnLaunch";
  EXPECT_EQ(cuda("cudaGraphLaunch", ready, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaMemset", static_cast<void*>(memory), 0, std::size_t{32}), cudaSuccess);
  EXPECT_EQ(cuda.launch(&cuda.add, 1, 8, memory, 8), cudaSuccess);
  EXPECT_EQ(cuda.at(memory + 5), 5);
  std::uint64_t in_use = 0;
  EXPECT_EQ(cuda("cudaDeviceGetGraphMemAttribute", 0, 0, static_cast<void*>(&in_use)), cudaSuccess);
  EXPECT_EQ(in_use, 32u);
  EXPECT_EQ(cuda("cudaGraphLaunch", ready, cudaStream_t{}), cudaErrorInvalidValue) << "it is allocated still";
  EXPECT_EQ(cuda("cudaGraphLaunch", again, cudaStream_t{}), cudaSuccess) << "this one frees it first";
  EXPECT_EQ(cuda("cudaFree", static_cast<void*>(memory)), cudaSuccess);
  EXPECT_EQ(cuda("cudaFree", static_cast<void*>(memory)), cudaErrorInvalidValue);
  EXPECT_EQ(cuda("cudaGraphLaunch", ready, cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaFreeAsync", static_cast<void*>(memory), cudaStream_t{}), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphExecDestroy", ready), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphExecDestroy", again), cudaSuccess);
  EXPECT_EQ(cuda("cudaGraphDestroy", graph), cudaSuccess);
  (void)cuda("cudaGetLastError");
}

// The driver's calls lie in the same library.
TEST(CudaDriver, ReadsTexturesUnderItsOwnNames) {
  const Library& cuda = library();
  struct {
    std::size_t width = 4, height = 2;
    int format = 32;  // CU_AD_FORMAT_FLOAT
    unsigned channels = 1;
  } wanted;
  cudaArray_t array = nullptr;
  EXPECT_EQ(cuda("cuArrayCreate_v2", &array, &wanted), cudaSuccess);
  wanted.channels = 3;
  cudaArray_t none = nullptr;
  EXPECT_EQ(cuda("cuArrayCreate_v2", &none, &wanted), cudaErrorInvalidValue) << "no texel has three channels";
  const std::array<float, 8> texels{1, 2, 3, 4, 5, 6, 7, 8};
  struct End {
    std::size_t x, y;
    int type;
    const void *host, *device;
    cudaArray_t array;
    std::size_t pitch;
  };
  struct {
    End from, to;
    std::size_t width, height;
  } copy{{0, 0, 1, texels.data(), nullptr, nullptr, 16}, {0, 0, 3, nullptr, nullptr, array, 0}, 16, 2};
  EXPECT_EQ(cuda("cuMemcpy2D_v2", &copy), cudaSuccess);
  copy.height = 3;
  EXPECT_EQ(cuda("cuMemcpy2D_v2", &copy), cudaErrorInvalidValue) << "more rows than the array has";
  struct {
    int type = 0;
    cudaArray_t array = nullptr;
    int reserved[31] = {};
    unsigned flags = 0;
  } resource;
  resource.array = array;
  struct {
    int address[3] = {1, 1, 1}, filter = 0;
    unsigned rest[19] = {};
    int reserved[12] = {};
  } how;
  cudaTextureObject_t texture = 0;
  EXPECT_EQ(cuda("cuTexObjectCreate", &texture, &resource, &how, static_cast<const void*>(nullptr)), cudaSuccess);
  float* const out = reinterpret_cast<float*>(cuda.ints(8));
  void* pointer = out;
  std::array<void*, 2> arguments{&pointer, &texture};
  EXPECT_EQ(cuda("cudaLaunchKernel", static_cast<const void*>(&cuda.fetch), dim3{1}, dim3{4, 2}, arguments.data(), std::size_t{0},
                 cudaStream_t{}),
            cudaSuccess);
  EXPECT_EQ(cuda("cudaDeviceSynchronize"), cudaSuccess);
  for (int x = 0; x < 4; ++x) EXPECT_EQ(out[x], texels[static_cast<std::size_t>(x / 2)]) << "the kernel goes by halves of texels";
  EXPECT_EQ(cuda("cuTexObjectDestroy", texture), cudaSuccess);
  EXPECT_EQ(cuda("cuArrayDestroy", array), cudaSuccess);
  EXPECT_EQ(cuda("cuArrayDestroy", array), cudaErrorInvalidResourceHandle);
}

TEST(CudaDriver, TheRuntimesContextIsCurrent) {
  const Library& cuda = library();
  int device = -1;
  EXPECT_EQ(cuda("cudaDeviceSynchronize"), cudaSuccess);
  EXPECT_EQ(cuda("cuCtxGetDevice", &device), cudaSuccess);
  EXPECT_EQ(device, 0);
  int elsewhere = 0;
  std::thread([&] { elsewhere = cuda("cuCtxGetDevice", &device); }).join();
  EXPECT_EQ(elsewhere, cudaErrorDeviceUninitialized) << "that thread has called nothing of the runtime";
}

TEST(CudaDriver, WhatIsMissingSaysSo) {
  const Library& cuda = library();
  EXPECT_EXIT((void)cuda("cuMemCreate"), testing::ExitedWithCode(78), "cuMemCreate is not here: the virtual GPU's driver library");
  EXPECT_EXIT((void)cuda("cudaMallocMipmappedArray"), testing::ExitedWithCode(78), "cudaMallocMipmappedArray is not here");
  void* function = nullptr;
  int found = -1;
  EXPECT_EQ(cuda("cuGetProcAddress_v2", "cuMemCreate", &function, 13000, std::uint64_t{0}, &found), cudaErrorSymbolNotFound);
  EXPECT_EQ(function, nullptr) << "who asks before calling is told";
  EXPECT_EQ(cuda("cuGetProcAddress_v2", "cuMemAlloc", &function, 13000, std::uint64_t{0}, &found), cudaSuccess);
  EXPECT_NE(function, nullptr);
}

}  // namespace
