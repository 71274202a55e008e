// What nvcc's own code calls: fat binaries registered when the program starts, launches, functions asked about.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/occupancy.h"
#include "runtime.h"

using namespace warpbook;
using cudart::remember;
using cudart::runtime;

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<Configuration> pushed;

cudart::Function* find(const void* function) {
  const auto found = runtime().functions.find(function);
  return found == runtime().functions.end() ? nullptr : &found->second;
}

cudaError_t launch(cudart::Function* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                   bool cooperative) {
  const std::lock_guard lock(runtime().mutex);
  if (!function) return remember(cudaErrorInvalidDeviceFunction);
  return remember(runtime().launch(*function, grid, block, arguments, shared_bytes, cooperative));
}

}  // namespace

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
  runtime().functions[host_function] = {reinterpret_cast<cudart::Module*>(module), name};
}

void __cudaRegisterVar(void** module, char* host_variable, char*, const char* name, int, std::size_t, int, int) {
  runtime().symbols[host_variable] = {reinterpret_cast<cudart::Module*>(module), name};
}

void __cudaRegisterManagedVar(void** module, void** host_pointer, char*, const char* name, int, std::size_t, int, int) {
  const cudart::Symbol symbol{reinterpret_cast<cudart::Module*>(module), name};
  *host_pointer = runtime().variable(symbol).host;
  runtime().symbols[*host_pointer] = symbol;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  pushed.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  if (pushed.empty()) return cudaErrorUnknown;
  const Configuration& last = pushed.back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  pushed.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(find(function));
  return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t) {
  return launch(reinterpret_cast<cudart::Function*>(kernel), grid, block, arguments, shared_bytes, false);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t) {
  return launch(find(function), grid, block, arguments, shared_bytes, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                        cudaStream_t) {
  return launch(find(function), grid, block, arguments, shared_bytes, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  bool cooperative = false;
  for (unsigned a = 0; a < config->numAttrs; ++a) {
    const cudaLaunchAttribute& attribute = config->attrs[a];
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative != 0;
    else if (attribute.id != cudaLaunchAttributeProgrammaticStreamSerialization)
      cudart::not_run(fmt::format("cudaLaunchKernelEx with attribute {}", static_cast<int>(attribute.id)));
  }
  return launch(find(function), config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, cooperative);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const std::lock_guard lock(runtime().mutex);
  const cudart::Function* found = find(function);
  if (!found) return remember(cudaErrorInvalidDeviceFunction);
  const gpu::Kernel& kernel = runtime().kernel(*found);
  const gpu::DeviceInfo& info = runtime().info();
  *attributes = {};
  attributes->sharedSizeBytes = kernel.shared_bytes;
  attributes->localSizeBytes = kernel.local_bytes;
  attributes->maxThreadsPerBlock = info.max_threads_per_block;
  attributes->numRegs = kernel.registers.value_or(32);
  attributes->ptxVersion = found->module->program->architecture;
  attributes->binaryVersion = info.compute_capability;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(info.shared_per_block - std::min<std::size_t>(info.shared_per_block, kernel.shared_bytes));
  return cudaSuccess;
}

// The virtual GPU gives every kernel what it asks for, up to the device's limit.
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (!find(function)) return remember(cudaErrorInvalidDeviceFunction);
  const auto most = static_cast<int>(runtime().info().shared_per_block_optin);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > most) return remember(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t shared_bytes, unsigned) {
  const std::lock_guard lock(runtime().mutex);
  const cudart::Function* found = find(function);
  if (!found) return remember(cudaErrorInvalidDeviceFunction);
  const gpu::Kernel& kernel = runtime().kernel(*found);
  const auto occupancy = gpu::occupancy(runtime().info(), {.threads_per_block = threads,
                                                           .registers_per_thread = kernel.registers.value_or(32),
                                                           .static_shared_bytes = kernel.shared_bytes,
                                                           .dynamic_shared_bytes = shared_bytes});
  if (!occupancy) return remember(cudaErrorInvalidValue);
  *blocks = occupancy->blocks;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  function(data);
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}

}  // extern "C"
