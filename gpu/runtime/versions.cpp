// Layouts and names that differ between CUDA 12 and 13. Compiled once for each (WARPBOOK_CUDART: 12 or 13).
#include <algorithm>
#include <cstring>

#include "gpu/runtime/calls.h"
#include "gpu/runtime/device_attribute.h"
#include "gpu/runtime/device_properties.h"
#include "gpu/runtime/graphs.h"

using namespace warpbook;
using cudart::Call;
using cudart::runtime;

namespace {

void fill_properties(cudaDeviceProp& p) {
  const gpu::DeviceInfo& info = runtime().info();
  const auto number = [](const char* name) { return static_cast<int>(cudart::device_attribute(name)); };
  const auto size = [](const char* name) { return static_cast<std::size_t>(cudart::device_attribute(name)); };
  const auto sides = [](int* to, const gpu::Dim3& from) {
    to[0] = static_cast<int>(from.x);
    to[1] = static_cast<int>(from.y);
    to[2] = static_cast<int>(from.z);
  };
  p = {};
  info.name.copy(p.name, sizeof p.name - 1);
  p.totalGlobalMem = runtime().device().memory().limit();
  p.sharedMemPerBlock = info.shared_per_block;
  p.sharedMemPerBlockOptin = info.shared_per_block_optin;
  p.sharedMemPerMultiprocessor = info.shared_per_multiprocessor;
  p.reservedSharedMemPerBlock = size("reservedSharedMemPerBlock");
  p.regsPerBlock = number("regsPerBlock");
  p.regsPerMultiprocessor = info.registers_per_multiprocessor;
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = info.max_threads_per_block;
  p.maxThreadsPerMultiProcessor = info.warps_per_multiprocessor * 32;
  p.maxBlocksPerMultiProcessor = info.blocks_per_multiprocessor;
  sides(p.maxThreadsDim, info.max_block);
  sides(p.maxGridSize, info.max_grid);
  p.totalConstMem = size("totalConstMem");
  p.major = info.compute_capability / 10;
  p.minor = info.compute_capability % 10;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = info.multiprocessors;
  p.l2CacheSize = number("l2CacheSize");
  p.persistingL2CacheMaxSize = number("persistingL2CacheMaxSize");
  p.accessPolicyMaxWindowSize = number("accessPolicyMaxWindowSize");
  p.maxTexture1D = number("maxTexture1D");
  p.maxTexture2D[0] = number("maxTexture2D.x");
  p.maxTexture2D[1] = number("maxTexture2D.y");
  p.maxTexture3D[0] = number("maxTexture3D.x");
  p.maxTexture3D[1] = number("maxTexture3D.y");
  p.maxTexture3D[2] = number("maxTexture3D.z");
  p.maxTexture1DLayered[0] = number("maxTexture1DLayered.x");
  p.maxTexture1DLayered[1] = number("maxTexture1DLayered.layers");
  p.maxTexture2DLayered[0] = number("maxTexture2DLayered.x");
  p.maxTexture2DLayered[1] = number("maxTexture2DLayered.y");
  p.maxTexture2DLayered[2] = number("maxTexture2DLayered.layers");
  p.maxTextureCubemap = number("maxTextureCubemap");
  p.maxSurface2D[0] = number("maxSurface2D.x");
  p.maxSurface2D[1] = number("maxSurface2D.y");
  p.memoryBusWidth = number("memoryBusWidth");
  p.globalL1CacheSupported = number("globalL1CacheSupported");
  p.localL1CacheSupported = number("localL1CacheSupported");
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.cooperativeLaunch = p.concurrentKernels = 1;
  p.concurrentManagedAccess = number("concurrentManagedAccess");
  p.streamPrioritiesSupported = 1;
  p.asyncEngineCount = 1;
  p.memoryPoolsSupported = p.hostRegisterSupported = 1;
#if WARPBOOK_CUDART < 13
  p.clockRate = static_cast<int>(info.clock_mhz * 1000);
  p.memoryClockRate = number("memoryClockRate");
  p.deviceOverlap = 1;
  p.singleToDoublePrecisionPerfRatio = number("singleToDoublePrecisionPerfRatio");
#endif
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  const Call call(__func__);
  if (!p) return call.done(cudaErrorInvalidValue);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  fill_properties(*p);
  return call.done();
}
#if WARPBOOK_CUDART < 13
// Programs of CUDA 12 use this name. The name without _v2 was CUDA 11's, with a shorter struct.
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* p, int device) {
  const Call call(__func__);
  return call.done(cudaGetDeviceProperties(p, device));
}
#endif

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  const Call call(__func__);
  *device = 0;
  return call.done();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  const Call call(__func__);
  *version = WARPBOOK_CUDART * 1000;
  return call.done();
}

#if WARPBOOK_CUDART >= 13
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return Call(__func__).waited();
}
cudaError_t cudaMemAdvise(const void*, std::size_t, int, cudaMemLocation) { return Call(__func__).done(); }
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const void*,
                                     std::size_t count) {
  const Call call(__func__);
  return call.done(cudart::add_dependencies(from, to, count));
}
#else
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return Call(__func__).waited(); }
cudaError_t cudaMemAdvise(const void*, std::size_t, int, int) { return Call(__func__).done(); }
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  const Call call(__func__);
  return call.done(cudart::add_dependencies(from, to, count));
}
// Names that CUDA 13 has removed. Each is equivalent to its successor.
cudaError_t cudaThreadSynchronize() { return Call(__func__).waited(); }
cudaError_t cudaThreadExit() {
  const Call call(__func__);
  runtime().release_all();
  return call.done();
}
cudaError_t cudaThreadSetCacheConfig(int) { return Call(__func__).done(); }
#endif

}  // extern "C"

CUDART_PER_THREAD(cudaMemPrefetchAsync, ptsz)
