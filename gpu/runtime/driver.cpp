// CUDA's driver library: the public calls that Numba, PyCUDA and programs with their own modules make. There is one device with one
// context, which is always current after it was retained. Handles: a module is a Module, a function a Function; streams and events
// are the runtime's. A CUresult has the number of the runtime's error if both have a name for it.
// Source: the CUDA Driver API's reference manual (docs.nvidia.com/cuda/cuda-driver-api). Longer than other files: nearly all of it
// are such calls, a few lines each.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "gpu/attributes.h"
#include "gpu/occupancy.h"
#include "gpu/runtime/calls.h"
#include "gpu/runtime/device_attribute.h"
#include "gpu/runtime/streams.h"

using namespace warpbook;
using cudart::Allocation;
using cudart::Call;
using cudart::runtime;

// Calls of the runtime that are part of the driver's library as well.
extern "C" {
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* total);
}

namespace warpbook::cudart {
namespace {

using CUresult = int;
using CUdeviceptr = std::uint64_t;
constexpr CUresult no_context = cudaErrorDeviceUninitialized, not_found = cudaErrorSymbolNotFound, wrong_image = 200,
                   file_not_found = 301;
constexpr CUresult invalid_handle = cudaErrorInvalidResourceHandle;

char one_context = 0;  // its address is the handle
thread_local int contexts_pushed = 0;
bool has_context() { return contexts_pushed > 0 || has_called_runtime(); }

/// Some errors of the runtime have no equivalent in the driver.
CUresult result_of(cudaError_t error) {
  if (error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidMemcpyDirection || error == cudaErrorInvalidPitchValue)
    return cudaErrorInvalidValue;
  return error;
}
void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// A module and the functions that the program has asked for. Functions live until the process ends.
struct DriverModule {
  Module* module = nullptr;
  std::map<std::string, std::unique_ptr<Function>> functions;
};
std::map<const void*, std::unique_ptr<DriverModule>> driver_modules;

Function* driver_function(void* handle) { return static_cast<Function*>(handle); }

/// The input of a link operation. Only PTX is supported, and it is passed on unchanged.
struct Link {
  std::string ptx;
};

/// Splits the argument buffer of cuLaunchKernel's `extra` by the parameters' sizes and alignments.
std::vector<void*> unpacked(Function& function, std::byte* buffer) {
  std::vector<void*> arguments;
  std::size_t offset = 0;
  for (const gpu::Parameter& parameter : runtime().kernel(function).parameters) {
    const std::size_t align = std::max<std::size_t>(parameter.align, 1);
    offset = (offset + align - 1) / align * align;
    arguments.push_back(buffer + offset);
    offset += parameter.size;
  }
  return arguments;
}

CUresult driver_launch(void* handle, dim3 grid, dim3 block, unsigned shared_bytes, cudaStream_t stream, void** arguments,
                       void** extra, bool cooperative) {
  Function* const function = driver_function(handle);
  if (!function) return invalid_handle;
  note_stream(stream);
  std::vector<void*> pointers;
  if (!arguments && extra) {
    for (std::size_t e = 0; reinterpret_cast<std::uintptr_t>(extra[e]) != 0; e += 2)
      if (reinterpret_cast<std::uintptr_t>(extra[e]) == 1) pointers = unpacked(*function, static_cast<std::byte*>(extra[e + 1]));
    arguments = pointers.data();
  }
  if (CUstream_st* const made = made_stream(stream); made && made->capture) {
    made->capture->add(cudaGraphNodeTypeKernel, kept_launch(*function, grid, block, arguments, shared_bytes, cooperative));
    return cudaSuccess;
  }
  return result_of(runtime().launch(*function, grid, block, arguments, shared_bytes, cooperative));
}

CUresult fill_bytes(CUdeviceptr to, unsigned value, std::size_t size, std::size_t count, cudaStream_t stream) {
  const cudaMemsetParams p{at(to), size * count, value, static_cast<unsigned>(size), count, 1};
  return result_of(in_stream(stream, cudaGraphNodeTypeMemset, [p] { return fill_elements(p); }));
}

CUresult copy_in(cudaStream_t stream, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return result_of(in_stream(stream, cudaGraphNodeTypeMemcpy, [=] { return copy_now(to, from, bytes, kind); }));
}

}  // namespace
}  // namespace warpbook::cudart

using namespace warpbook::cudart;

extern "C" {

CUresult cuInit(unsigned) { return cudaSuccess; }
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = name_of_error(error);  // the runtime's name for the same number
  return cudaSuccess;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString(error);
  return cudaSuccess;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
CUresult cuDeviceGet(int* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
CUresult cuDeviceGetName(char* name, int bytes, int) {
  const Call call(__func__);
  const std::string& own = runtime().info().name;
  if (bytes < 1) return cudaErrorInvalidValue;
  name[own.copy(name, static_cast<std::size_t>(bytes) - 1)] = '\0';
  return cudaSuccess;
}
CUresult cuDeviceGetUuid(char* uuid, int) {
  std::memcpy(uuid, "warpbook-virtual", 16);
  return cudaSuccess;
}
CUresult cuDeviceGetUuid_v2(char* uuid, int device) { return cuDeviceGetUuid(uuid, device); }
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  const Call call(__func__);
  *bytes = runtime().device().memory().limit();
  return cudaSuccess;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, int) {
  const Call call(__func__);
  *value = 0;  // properties that this device does not have
  for (const gpu::AttributeRow& row : gpu::attribute_table())
    if (row.number == attribute) *value = static_cast<int>(device_attribute(row.name));
  if (attribute == 75) *value = runtime().info().compute_capability / 10;
  if (attribute == 76) *value = runtime().info().compute_capability % 10;
  return cudaSuccess;
}
CUresult cuDeviceComputeCapability(int* major, int* minor, int) {
  const Call call(__func__);
  *major = runtime().info().compute_capability / 10;
  *minor = runtime().info().compute_capability % 10;
  return cudaSuccess;
}
CUresult cuDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

CUresult cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &one_context;
  return cudaSuccess;
}
CUresult cuDevicePrimaryCtxRelease_v2(int) { return cudaSuccess; }
CUresult cuDevicePrimaryCtxReset_v2(int) {
  const Call call(__func__);
  runtime().release_all();
  return cudaSuccess;
}
CUresult cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return cudaSuccess;
}
CUresult cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return cudaSuccess; }
CUresult cuCtxCreate_v2(void** context, unsigned, int) {
  *context = &one_context;
  ++contexts_pushed;
  return cudaSuccess;
}
// The newer ones take parameters of the context besides, which are for parts of a device that other programs use.
CUresult cuCtxCreate_v3(void** context, void*, int, unsigned flags, int device) { return cuCtxCreate_v2(context, flags, device); }
CUresult cuCtxCreate_v4(void** context, void*, unsigned flags, int device) { return cuCtxCreate_v2(context, flags, device); }
CUresult cuCtxDestroy_v2(void*) {
  contexts_pushed = std::max(0, contexts_pushed - 1);
  return cudaSuccess;
}
CUresult cuCtxGetDevice(int* device) {
  *device = 0;
  return has_context() ? cudaSuccess : no_context;
}
CUresult cuCtxGetCurrent(void** context) {
  *context = has_context() ? &one_context : nullptr;
  return cudaSuccess;
}
CUresult cuCtxSetCurrent(void* context) {
  contexts_pushed = context ? 1 : 0;
  return cudaSuccess;
}
CUresult cuCtxPushCurrent_v2(void*) {
  ++contexts_pushed;
  return cudaSuccess;
}
CUresult cuCtxPopCurrent_v2(void** context) {
  if (!contexts_pushed) return no_context;
  --contexts_pushed;
  if (context) *context = &one_context;
  return cudaSuccess;
}
CUresult cuCtxSynchronize() {
  const Call call(__func__);
  return runtime().lost();
}
CUresult cuCtxEnablePeerAccess(void*, unsigned) { return cudaErrorPeerAccessUnsupported; }

CUresult cuModuleLoadData(void** handle, const void* image) {
  const Call call(__func__);
  std::string why;
  Module* const module = runtime().load_module(image, why);
  if (!module) not_run(why.empty() ? "This module holds no PTX." : why);
  *handle = module;
  driver_modules[module] = std::make_unique<DriverModule>();
  driver_modules[module]->module = module;
  return cudaSuccess;
}
CUresult cuModuleLoad(void** handle, const char* file) {
  const Call call(__func__);
  std::ifstream in(file, std::ios::binary);
  if (!in) return file_not_found;
  const std::string image{std::istreambuf_iterator<char>(in), {}};
  return cuModuleLoadData(handle, image.c_str());
}
CUresult cuModuleLoadDataEx(void** handle, const void* image, unsigned, void*, void*) { return cuModuleLoadData(handle, image); }
CUresult cuModuleLoadFatBinary(void** handle, const void* image) { return cuModuleLoadData(handle, image); }
CUresult cuModuleUnload(void* handle) {
  const Call call(__func__);
  return driver_modules.contains(handle) ? cudaSuccess : invalid_handle;
}
CUresult cuModuleGetFunction(void** function, void* handle, const char* name) {
  const Call call(__func__);
  const auto found = driver_modules.find(handle);
  if (found == driver_modules.end()) return invalid_handle;
  if (!found->second->module->program->find(name)) return not_found;
  auto& made = found->second->functions[name];
  if (!made) made = std::make_unique<Function>(Function{found->second->module, name, nullptr, {}});
  *function = made.get();
  return cudaSuccess;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* pointer, std::size_t* bytes, void* handle, const char* name) {
  const Call call(__func__);
  const auto found = driver_modules.find(handle);
  if (found == driver_modules.end()) return invalid_handle;
  const auto extent = runtime().device().variable(found->second->module->program, name);
  if (!extent) return not_found;
  if (pointer) *pointer = extent->low;
  if (bytes) *bytes = extent->high - extent->low;
  return cudaSuccess;
}

CUresult cuLinkCreate_v2(unsigned, void*, void*, void** state) {
  *state = new Link;
  return cudaSuccess;
}
CUresult cuLinkAddData_v2(void* state, int kind, void* data, std::size_t bytes, const char*, unsigned, void*, void*) {
  constexpr int ptx_input = 1;
  Link& link = *static_cast<Link*>(state);
  if (kind != ptx_input) not_run("cuLinkAddData with something else than PTX is not here.");
  if (!link.ptx.empty()) not_run("cuLinkAddData with several PTX texts is not here.");
  link.ptx.assign(static_cast<const char*>(data), strnlen(static_cast<const char*>(data), bytes));
  return cudaSuccess;
}
CUresult cuLinkAddFile_v2(void*, int, const char*, unsigned, void*, void*) {
  not_run("cuLinkAddFile is not here.");
  return wrong_image;
}
CUresult cuLinkComplete(void* state, void** image, std::size_t* bytes) {
  Link& link = *static_cast<Link*>(state);
  *image = link.ptx.data();
  *bytes = link.ptx.size() + 1;
  return cudaSuccess;
}
CUresult cuLinkDestroy(void* state) {
  delete static_cast<Link*>(state);
  return cudaSuccess;
}

CUresult cuFuncGetAttribute(int* value, int attribute, void* handle) {
  const Call call(__func__);
  if (!handle) return invalid_handle;
  Function& function = *driver_function(handle);
  const gpu::Kernel& kernel = runtime().kernel(function);
  switch (attribute) {
    case 0:
      *value = runtime().info().max_threads_per_block;
      break;
    case 1:
      *value = static_cast<int>(kernel.shared_bytes);
      break;
    case 3:
      *value = static_cast<int>(kernel.local_bytes);
      break;
    case 4:
      *value = kernel.registers.value_or(32);
      break;
    case 5:
    case 6:
      *value = function.module->program->architecture;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}
CUresult cuFuncSetCacheConfig(void*, int) { return cudaSuccess; }
CUresult cuFuncSetAttribute(void*, int, int) { return cudaSuccess; }

CUresult cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, cudaStream_t stream, void** arguments, void** extra) {
  const Call call("cuLaunchKernel");
  return driver_launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, arguments, extra,
                       false);
}
CUresult cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared_bytes, cudaStream_t stream,
                                   void** arguments) {
  const Call call("cuLaunchCooperativeKernel");
  return driver_launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, arguments, nullptr,
                       true);
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  const Call call("cuMemAlloc");
  if (bytes == 0) return cudaErrorInvalidValue;
  return result_of(runtime().allocate(reinterpret_cast<void**>(pointer), bytes, Allocation::Kind::device));
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned) {
  const Call call(__func__);
  return result_of(runtime().allocate(reinterpret_cast<void**>(pointer), bytes, Allocation::Kind::managed));
}
CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  const Call call(__func__);
  return result_of(runtime().allocate(pointer, bytes, Allocation::Kind::host));
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  const Call call("cuMemFree");
  return result_of(runtime().release(at(pointer), false));
}
CUresult cuMemFreeHost(void* pointer) {
  const Call call(__func__);
  return result_of(runtime().release(pointer, true));
}
CUresult cuMemHostRegister_v2(void*, std::size_t, unsigned) { return cudaSuccess; }
CUresult cuMemHostUnregister(void*) { return cudaSuccess; }
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, unsigned) {
  const Call call(__func__);
  *device = reinterpret_cast<CUdeviceptr>(host);
  return runtime().allocation_at(host) ? cudaSuccess : cudaErrorInvalidValue;
}
CUresult cuMemHostGetFlags(unsigned* flags, void*) {
  *flags = 2;
  return cudaSuccess;
}
CUresult cuMemGetInfo_v2(std::size_t* left, std::size_t* total) { return cudaMemGetInfo(left, total); }
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr pointer) {
  const Call call(__func__);
  const Allocation* const allocation = runtime().allocation_at(at(pointer));
  if (!allocation) return cudaErrorInvalidValue;
  if (base) *base = runtime().device().address(allocation->buffer);
  if (bytes) *bytes = allocation->buffer.array.bytes();
  return cudaSuccess;
}
CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr pointer) {
  const Call call(__func__);
  const Allocation* const allocation = runtime().allocation_at(at(pointer));
  if (!allocation) return cudaErrorInvalidValue;
  switch (attribute) {
    case 1:  // context
      *static_cast<void**>(value) = &one_context;
      return cudaSuccess;
    case 2:  // memory type
      *static_cast<unsigned*>(value) = allocation->kind == Allocation::Kind::host ? 1 : 2;
      return cudaSuccess;
    case 3:  // the device's pointer
    case 4:  // the host's
      *static_cast<CUdeviceptr*>(value) = pointer;
      return cudaSuccess;
    case 8:  // managed
      *static_cast<unsigned*>(value) = allocation->kind == Allocation::Kind::managed;
      return cudaSuccess;
    case 9:  // ordinal
      *static_cast<int*>(value) = 0;
      return cudaSuccess;
    default:
      return cudaErrorNotSupported;
  }
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, cudaStream_t stream) {
  const Call call("cuMemcpyHtoD");
  return copy_in(stream, at(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, cudaStream_t stream) {
  const Call call("cuMemcpyDtoH");
  return copy_in(stream, to, at(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) { return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr); }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, cudaStream_t stream) {
  const Call call("cuMemcpyDtoD");
  return copy_in(stream, at(to), at(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, cudaStream_t stream) {
  const Call call("cuMemsetD8");
  return fill_bytes(to, value, 1, count, stream);
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t count) {
  return cuMemsetD8Async(to, value, count, nullptr);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t count) {
  const Call call("cuMemsetD16");
  return fill_bytes(to, value, 2, count, nullptr);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, cudaStream_t stream) {
  const Call call("cuMemsetD32");
  return fill_bytes(to, value, 4, count, stream);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) { return cuMemsetD32Async(to, value, count, nullptr); }

CUresult cuStreamCreate(cudaStream_t* stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
CUresult cuStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return cudaStreamCreateWithPriority(stream, flags, priority);
}
CUresult cuStreamDestroy_v2(cudaStream_t stream) { return cudaStreamDestroy(stream); }
CUresult cuStreamSynchronize(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
CUresult cuStreamQuery(cudaStream_t stream) { return cudaStreamQuery(stream); }
CUresult cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}
CUresult cuStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  return cudaStreamAddCallback(stream, callback, data, flags);
}
CUresult cuEventCreate(cudaEvent_t* event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
CUresult cuEventDestroy_v2(cudaEvent_t event) { return cudaEventDestroy(event); }
CUresult cuEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecord(event, stream); }
CUresult cuEventQuery(cudaEvent_t event) { return cudaEventQuery(event); }
CUresult cuEventSynchronize(cudaEvent_t event) { return cudaEventSynchronize(event); }
CUresult cuEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) { return cudaEventElapsedTime(ms, start, end); }

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* handle, int threads, std::size_t shared_bytes,
                                                              unsigned) {
  const Call call(__func__);
  if (!handle) return invalid_handle;
  const gpu::Kernel& kernel = runtime().kernel(*driver_function(handle));
  gpu::OccupancyRequest needs;
  needs.threads_per_block = threads;
  needs.registers_per_thread = kernel.registers.value_or(32);
  needs.static_shared_bytes = kernel.shared_bytes;
  needs.dynamic_shared_bytes = shared_bytes;
  const auto occupancy = gpu::occupancy(runtime().info(), needs);
  if (!occupancy) return cudaErrorInvalidValue;
  *blocks = occupancy->blocks;
  return cudaSuccess;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int threads, std::size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared_bytes, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, void* handle, void*, std::size_t shared_bytes, int,
                                                   unsigned) {
  const Call call(__func__);
  if (!handle) return invalid_handle;
  const gpu::Kernel& kernel = runtime().kernel(*driver_function(handle));
  gpu::OccupancyRequest needs;
  needs.registers_per_thread = kernel.registers.value_or(32);
  needs.static_shared_bytes = kernel.shared_bytes;
  needs.dynamic_shared_bytes = shared_bytes;
  const auto suggested = gpu::suggest_launch(runtime().info(), needs);
  if (!suggested) return cudaErrorInvalidValue;
  *grid = suggested->blocks;
  *block = suggested->threads_per_block;
  return cudaSuccess;
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* handle, void* size, std::size_t shared_bytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, size, shared_bytes, limit, 0);
}
CUresult cuProfilerStart() { return cudaSuccess; }
CUresult cuProfilerStop() { return cudaSuccess; }
CUresult cuIpcGetMemHandle(void*, CUdeviceptr) { return cudaErrorNotSupported; }
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr*, const void*, unsigned) { return cudaErrorNotSupported; }
CUresult cuIpcCloseMemHandle(CUdeviceptr) { return cudaErrorNotSupported; }

}  // extern "C"
