// Calls that nvcc's generated code makes: registering fat binaries at the program's start, launches, and queries about functions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/occupancy.h"
#include "gpu/runtime/calls.h"
#include "gpu/runtime/streams.h"

using namespace warpbook;
using cudart::Call;
using cudart::function_of;
using cudart::runtime;

namespace warpbook::cudart {

Function* function_of(const void* stub) {
  const auto found = runtime().functions.find(stub);
  return found == runtime().functions.end() ? nullptr : &found->second;
}

std::function<cudaError_t()> kept_launch(Function& function, dim3 grid, dim3 block, void* const* arguments,
                                         std::size_t shared_bytes, bool cooperative) {
  auto kept = std::make_shared<KernelArguments>(runtime().copy_arguments(function, arguments));
  return [kept, &function, grid, block, shared_bytes, cooperative] {
    std::vector<void*> pointers;
    for (auto& bytes : kept->bytes) pointers.push_back(bytes.data());
    return runtime().launch(function, grid, block, pointers.data(), shared_bytes, cooperative);
  };
}

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> pushed;

cudaError_t launch_in(cudaStream_t stream, Function* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                      bool cooperative) {
  if (!function) return cudaErrorInvalidDeviceFunction;
  note_stream(stream);
  if (CUstream_st* const made = made_stream(stream); made && made->capture) {
    made->capture->add(cudaGraphNodeTypeKernel, kept_launch(*function, grid, block, arguments, shared_bytes, cooperative));
    return cudaSuccess;
  }
  return runtime().launch(*function, grid, block, arguments, shared_bytes, cooperative);
}

}  // namespace
}  // namespace warpbook::cudart

extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) {
  const std::lock_guard lock(runtime().mutex);
  return reinterpret_cast<void**>(runtime().add_module(fat_binary));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** module, const char* host_function, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  const std::lock_guard lock(runtime().mutex);
  runtime().functions[host_function] = {reinterpret_cast<cudart::Module*>(module), name, nullptr, {}};
}

void __cudaRegisterVar(void** module, char* host_variable, char*, const char* name, int, std::size_t, int, int) {
  const std::lock_guard lock(runtime().mutex);
  runtime().symbols[host_variable] = {reinterpret_cast<cudart::Module*>(module), name};
}

// The address is needed at once, because the program accesses the variable through this pointer without any call.
void __cudaRegisterManagedVar(void** module, void** host_pointer, char*, const char* name, int, std::size_t, int, int) {
  const std::lock_guard lock(runtime().mutex);
  const cudart::Symbol symbol{reinterpret_cast<cudart::Module*>(module), name};
  *host_pointer = runtime().variable(symbol).host;
  runtime().symbols[*host_pointer] = symbol;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  cudart::pushed.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  if (cudart::pushed.empty()) return cudaErrorMissingConfiguration;
  const auto& last = cudart::pushed.back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  cudart::pushed.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  const Call call("a kernel's launch");
  *kernel = reinterpret_cast<cudaKernel_t>(function_of(function));
  return call.done(*kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) { return __cudaGetKernel(kernel, function); }

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
  const Call call("a kernel's launch");
  return call.done(
      cudart::launch_in(stream, reinterpret_cast<cudart::Function*>(kernel), grid, block, arguments, shared_bytes, false));
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  const Call call("a kernel's launch");
  return call.done(cudart::launch_in(stream, function_of(function), grid, block, arguments, shared_bytes, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  const Call call(__func__);
  return call.done(cudart::launch_in(stream, function_of(function), grid, block, arguments, shared_bytes, true));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  const Call call(__func__);
  bool cooperative = false;
  for (unsigned a = 0; a < config->numAttrs; ++a) {
    const cudaLaunchAttribute& attribute = config->attrs[a];
    switch (attribute.id) {
      case cudaLaunchAttributeCooperative:
        cooperative = attribute.val.cooperative != 0;
        break;
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeProgrammaticStreamSerialization:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
        break;  // hints, which do not change results
      default:
        cudart::not_run(
            fmt::format("cudaLaunchKernelEx with attribute {} (thread block clusters and the like) is not here.", attribute.id));
    }
  }
  return call.done(cudart::launch_in(config->stream, function_of(function), config->gridDim, config->blockDim, arguments,
                                     config->dynamicSmemBytes, cooperative));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  const Call call(__func__);
  cudart::Function* const function = function_of(stub);
  if (!function) return call.done(cudaErrorInvalidDeviceFunction);
  const gpu::Kernel& kernel = runtime().kernel(*function);
  const gpu::DeviceInfo& info = runtime().info();
  *attributes = {};
  attributes->sharedSizeBytes = kernel.shared_bytes;
  attributes->localSizeBytes = kernel.local_bytes;
  attributes->maxThreadsPerBlock = info.max_threads_per_block;
  attributes->numRegs = kernel.registers.value_or(32);
  attributes->ptxVersion = function->module->program->architecture;
  attributes->binaryVersion = info.compute_capability;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(info.shared_per_block - std::min<std::size_t>(info.shared_per_block, kernel.shared_bytes));
  return call.done();
}

// The virtual GPU gives every kernel what it needs, up to the device's limit.
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  const Call call(__func__);
  if (!function_of(function)) return call.done(cudaErrorInvalidDeviceFunction);
  const auto most = static_cast<int>(runtime().info().shared_per_block_optin);
  const bool too_much = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > most;
  return call.done(too_much ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaFuncSetCacheConfig(const void*, int) { return Call(__func__).done(); }
cudaError_t cudaFuncSetSharedMemConfig(const void*, int) { return Call(__func__).done(); }
cudaError_t cudaFuncGetName(const char** name, const void* stub) {
  const Call call(__func__);
  const cudart::Function* const function = function_of(stub);
  if (!function) return call.done(cudaErrorInvalidDeviceFunction);
  *name = function->name.c_str();
  return call.done();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub, int threads,
                                                                   std::size_t shared_bytes, unsigned) {
  const Call call(__func__);
  cudart::Function* const function = function_of(stub);
  if (!function) return call.done(cudaErrorInvalidDeviceFunction);
  const gpu::Kernel& kernel = runtime().kernel(*function);
  gpu::OccupancyRequest needs;
  needs.threads_per_block = threads;
  needs.registers_per_thread = kernel.registers.value_or(32);
  needs.static_shared_bytes = kernel.shared_bytes;
  needs.dynamic_shared_bytes = shared_bytes;
  const auto occupancy = gpu::occupancy(runtime().info(), needs);
  if (!occupancy) return call.done(cudaErrorInvalidValue);
  *blocks = occupancy->blocks;
  return call.done();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared_bytes) {
  const Call call(__func__);
  return call.done(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* stub, int blocks, int) {
  const Call call(__func__);
  cudart::Function* const function = function_of(stub);
  if (!function) return call.done(cudaErrorInvalidDeviceFunction);
  if (blocks < 1) return call.done(cudaErrorInvalidValue);
  const gpu::DeviceInfo& info = runtime().info();
  const std::size_t own = runtime().kernel(*function).shared_bytes;
  const std::size_t share =
      std::min(info.shared_per_multiprocessor / static_cast<std::size_t>(blocks), info.shared_per_block_optin);
  *bytes = share - std::min(share, own);
  return call.done();
}

}  // extern "C"

CUDART_PER_THREAD(__cudaLaunchKernel, ptsz)
CUDART_PER_THREAD(cudaLaunchKernel, ptsz)
CUDART_PER_THREAD(cudaLaunchCooperativeKernel, ptsz)
CUDART_PER_THREAD(cudaLaunchKernelExC, ptsz)
