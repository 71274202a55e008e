// What a program asks of the device, of streams and events, and of errors.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "gpu/attributes.h"
#include "runtime.h"

using namespace warpbook;
using cudart::remember;
using cudart::runtime;

struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
};
struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
};

namespace warpbook::cudart {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorRow {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorRow error_rows[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
#define CUDART_ERROR(name, text) {cudaError##name, "cudaError" #name, text},
#include "errors.def"
#undef CUDART_ERROR
};

// What this runtime can do, whatever the device.
constexpr std::string_view supported[] = {"canMapHostMemory",     "unifiedAddressing",    "managedMemory",
                                          "cooperativeLaunch",    "concurrentKernels",    "asyncEngineCount",
                                          "memoryPoolsSupported", "hostRegisterSupported"};

std::int64_t attribute(std::string_view name) {
  if (std::find(std::begin(supported), std::end(supported), name) != std::end(supported)) return 1;
  for (const gpu::Attribute& a : runtime().info().attributes)
    if (a.name == name) return a.value;
  return 0;
}

}  // namespace

cudaError_t error_of(const std::string& name) {
  for (const ErrorRow& row : error_rows)
    if (name == row.name) return row.error;
  return cudaErrorUnknown;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace warpbook::cudart

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  for (const auto& row : cudart::error_rows)
    if (row.error == error) return row.name;
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  for (const auto& row : cudart::error_rows)
    if (row.error == error) return row.text;
  return "unrecognized error code";
}
cudaError_t cudaPeekAtLastError() {
  const cudaError_t lost = runtime().lost();
  return lost != cudaSuccess ? lost : cudart::last_error;
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  cudart::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : remember(cudaErrorInvalidDevice); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return remember(runtime().lost()); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  for (const gpu::AttributeRow& row : gpu::attribute_table())
    if (row.number == static_cast<int>(attribute)) {
      *value = static_cast<int>(cudart::attribute(row.name));
      return cudaSuccess;
    }
  return remember(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (limit == cudaLimitMallocHeapSize)
    *value = gpu::vm::heap_bytes;
  else if (limit == cudaLimitStackSize)
    *value = 1024;
  else if (limit == cudaLimitPrintfFifoSize)
    *value = std::size_t{1} << 20;
  else
    return remember(cudaErrorNotSupported);
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit == cudaLimitMallocHeapSize && value > gpu::vm::heap_bytes)
    cudart::not_run("cudaDeviceSetLimit: a larger heap for kernels");
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  const gpu::DeviceInfo& info = runtime().info();
  const auto number = [](const char* name) { return static_cast<int>(cudart::attribute(name)); };
  const auto size = [](const char* name) { return static_cast<std::size_t>(cudart::attribute(name)); };
  *p = {};
  info.name.copy(p->name, sizeof p->name - 1);
  p->totalGlobalMem = runtime().device().memory().limit();
  p->sharedMemPerBlock = info.shared_per_block;
  p->sharedMemPerBlockOptin = info.shared_per_block_optin;
  p->sharedMemPerMultiprocessor = info.shared_per_multiprocessor;
  p->reservedSharedMemPerBlock = size("reservedSharedMemPerBlock");
  p->regsPerBlock = number("regsPerBlock");
  p->regsPerMultiprocessor = info.registers_per_multiprocessor;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = info.max_threads_per_block;
  p->maxThreadsPerMultiProcessor = info.warps_per_multiprocessor * 32;
  p->maxBlocksPerMultiProcessor = info.blocks_per_multiprocessor;
  const auto sides = [](int* to, const gpu::Dim3& from) {
    to[0] = static_cast<int>(from.x);
    to[1] = static_cast<int>(from.y);
    to[2] = static_cast<int>(from.z);
  };
  sides(p->maxThreadsDim, info.max_block);
  sides(p->maxGridSize, info.max_grid);
  p->totalConstMem = size("totalConstMem");
  p->major = info.compute_capability / 10;
  p->minor = info.compute_capability % 10;
  p->multiProcessorCount = info.multiprocessors;
  p->l2CacheSize = number("l2CacheSize");
  p->memoryBusWidth = number("memoryBusWidth");
  p->globalL1CacheSupported = number("globalL1CacheSupported");
  p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->cooperativeLaunch = p->concurrentKernels = 1;
  p->asyncEngineCount = 1;
  p->memoryPoolsSupported = p->hostRegisterSupported = 1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  *stream = new CUstream_st{flags, priority};
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream ? stream->priority : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = stream ? stream->flags : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return remember(runtime().lost()); }
cudaError_t cudaStreamQuery(cudaStream_t) { return runtime().lost(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->recorded = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return remember(runtime().lost()); }
cudaError_t cudaEventQuery(cudaEvent_t) { return runtime().lost(); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  *ms = std::chrono::duration<float, std::milli>(end->recorded - start->recorded).count();
  return cudaSuccess;
}

}  // extern "C"
