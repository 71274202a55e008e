// CUDA's calls about devices. There is always one device.
#include <algorithm>
#include <utility>

#include "gpu/attributes.h"
#include "gpu/runtime/calls.h"
#include "gpu/runtime/device_attribute.h"
#include "gpu/virtual/vm/memory/heap_limit.h"

using namespace warpbook;
using cudart::Call;
using cudart::runtime;

namespace warpbook::cudart {

std::int64_t device_attribute(std::string_view name) {
  // Properties of this runtime, independent of the device.
  constexpr std::string_view can[] = {"canMapHostMemory",  "unifiedAddressing", "managedMemory",        "cooperativeLaunch",
                                      "concurrentKernels", "asyncEngineCount",  "memoryPoolsSupported", "hostRegisterSupported"};
  for (const std::string_view one : can)
    if (name == one) return 1;
  for (const gpu::Attribute& a : runtime().info().attributes)
    if (a.name == name) return a.value;
  // What the CUDA C++ Programming Guide's "Technical Specifications per Compute Capability" says of every device since 6.0.
  constexpr std::pair<std::string_view, std::int64_t> textures[] = {{"maxTexture1D", 131072},
                                                                    {"maxTexture2D.x", 131072},
                                                                    {"maxTexture2D.y", 65536},
                                                                    {"maxTexture3D.x", 16384},
                                                                    {"maxTexture3D.y", 16384},
                                                                    {"maxTexture3D.z", 16384},
                                                                    {"maxTexture1DLayered.x", 32768},
                                                                    {"maxTexture1DLayered.layers", 2048},
                                                                    {"maxTexture2DLayered.x", 32768},
                                                                    {"maxTexture2DLayered.y", 32768},
                                                                    {"maxTexture2DLayered.layers", 2048},
                                                                    {"maxTextureCubemap", 32768},
                                                                    {"maxSurface2D.x", 131072},
                                                                    {"maxSurface2D.y", 65536}};
  for (const auto& [texture, most] : textures)
    if (name == texture) return most;
  return 0;
}

}  // namespace warpbook::cudart

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const Call call(__func__);
  *count = 1;
  return call.done();
}
cudaError_t cudaGetDevice(int* device) {
  const Call call(__func__);
  *device = 0;
  return call.done();
}
cudaError_t cudaSetDevice(int device) {
  const Call call(__func__);
  return call.done(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  const Call call(__func__);
  return call.done(cudaSetDevice(device));
}
cudaError_t cudaSetValidDevices(int*, int) { return Call(__func__).done(); }
cudaError_t cudaSetDeviceFlags(unsigned) { return Call(__func__).done(); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  const Call call(__func__);
  *flags = 8;  // cudaDeviceMapHost
  return call.done();
}
cudaError_t cudaDeviceReset() {
  const Call call(__func__);
  runtime().release_all();
  return call.done();
}
cudaError_t cudaDeviceSynchronize() { return Call(__func__).waited(); }
cudaError_t cudaDeviceSetCacheConfig(int) { return Call(__func__).done(); }
cudaError_t cudaDeviceGetCacheConfig(int* config) {
  const Call call(__func__);
  *config = 0;
  return call.done();
}
cudaError_t cudaDeviceSetSharedMemConfig(int) { return Call(__func__).done(); }
cudaError_t cudaDeviceGetSharedMemConfig(int* config) {
  const Call call(__func__);
  *config = 1;  // banks of four bytes
  return call.done();
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  const Call call(__func__);
  *can = 0;
  return call.done(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  const Call call(__func__);
  return call.done(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  const Call call(__func__);
  return call.done(cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDriverGetVersion(int* version) {
  const Call call(__func__);
  *version = 13000;
  return call.done();
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  const Call call(__func__);
  constexpr std::string_view id = "0000:00:00.0";
  if (!text || bytes <= static_cast<int>(id.size())) return call.done(cudaErrorInvalidValue);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  text[id.copy(text, id.size())] = '\0';
  return call.done();
}
cudaError_t cudaProfilerStart() { return Call(__func__).done(); }
cudaError_t cudaProfilerStop() { return Call(__func__).done(); }
cudaError_t cudaCtxResetPersistingL2Cache() { return Call(__func__).done(); }

cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int device) {
  const Call call(__func__);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  for (const gpu::AttributeRow& row : gpu::attribute_table())
    if (row.number == attribute) {
      *value = static_cast<int>(cudart::device_attribute(row.name));
      return call.done();
    }
  return call.done(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  const Call call(__func__);
  if (limit == cudaLimitMallocHeapSize)
    *value = gpu::vm::heap_limit();
  else if (limit == cudaLimitStackSize)
    *value = 1024;
  else if (limit == cudaLimitPrintfFifoSize)
    *value = std::size_t{1} << 20;
  else
    return call.done(cudaErrorUnsupportedLimit);
  return call.done();
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  const Call call(__func__);
  if (limit != cudaLimitMallocHeapSize) return call.done();
  // The heap is there from a kernel's first malloc on, and then keeps its size.
  const gpu::vm::Memory& memory = runtime().device().memory();
  if (memory.heap_pieces() > 0) return call.done(cudaErrorInvalidValue);
  if (value > memory.limit() - memory.used()) return call.done(cudaErrorMemoryAllocation);
  gpu::vm::set_heap_limit(std::max(value, gpu::vm::heap_bytes));
  return call.done();
}

}  // extern "C"
