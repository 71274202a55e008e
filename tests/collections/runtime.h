// The state behind a stand-in for CUDA's runtime library: a host program that nvcc built, unmodified, launches its kernels on the
// virtual GPU.
//
//     nvcc -cudart shared -gencode arch=compute_80,code=compute_80 --no-compress program.cu -o program
//     LD_LIBRARY_PATH=build-collections ./program
//
// Everything is done before a call returns: streams are in order by nature. The virtual GPU's memory lies in this process at the
// very addresses that kernels use, so that pinned and managed memory need no copies.
//
// What is not here is an undefined symbol that the loader names, or ends the program by not_run(): never a silent success.
//
// Environment: WARPBOOK_PROFILE, the device (A40); WARPBOOK_OBSERVE=all or a list as `warpbook launch --observe` takes it, findings
// go to the standard error; WARPBOOK_STATISTICS=1 prints what every kernel cost at the end; WARPBOOK_LAUNCH_SECONDS ends longer
// launches, and says where they were.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gpu/virtual/virtual_device.h"

namespace warpbook::cudart {

constexpr int not_run_status = 78;  // what a program ends with that needs what is not here

/// Says what is missing and ends the program.
[[noreturn]] void not_run(const std::string& what);

/// One fat binary's PTX, decoded when it is first needed.
struct Module {
  std::string ptx;
  gpu::ProgramPtr program;
};

struct Function {
  Module* module = nullptr;
  std::string name;  // of the entry
};

struct Symbol {
  Module* module = nullptr;
  std::string name;
};

struct KernelCost {
  std::uint64_t launches = 0, thread_instructions = 0;
  double ms = 0;
};

class Runtime {
 public:
  Runtime();

  /// One thread at a time, as the device wants it; whoever uses the rest holds this.
  std::recursive_mutex mutex;

  [[nodiscard]] gpu::VirtualDevice& device() { return *device_; }
  [[nodiscard]] const gpu::DeviceInfo& info() const { return device_->info(); }

  [[nodiscard]] Module* add_module(const void* fat_binary);
  [[nodiscard]] const gpu::Kernel& kernel(const Function& function);  // ends the program where there is none
  [[nodiscard]] gpu::vm::Extent variable(const Symbol& symbol);

  /// host: written at once, by the host's own stores.
  [[nodiscard]] cudaError_t allocate(void** pointer, std::size_t bytes, bool host);
  [[nodiscard]] cudaError_t release(void* pointer);
  /// The allocation that `pointer` points into; nullptr: not the device's memory.
  [[nodiscard]] const gpu::Buffer* buffer_at(const void* pointer) const;
  /// May the host copy `bytes` here? Host memory always; the device's only within an allocation.
  [[nodiscard]] bool holds(const void* pointer, std::size_t bytes, bool write);

  [[nodiscard]] cudaError_t launch(const Function& function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                   bool cooperative);
  void print_statistics() const;
  /// cudaSuccess, or what a kernel's fault left behind: then every call answers it.
  [[nodiscard]] cudaError_t lost() const { return lost_; }

  std::map<const void*, Function> functions;  // by the host's stub
  std::map<const void*, Symbol> symbols;      // by the host's shadow

 private:
  void load(Module& module);
  void print_findings(const gpu::LaunchReport& report);

  gpu::Compiler compiler_;
  std::unique_ptr<gpu::VirtualDevice> device_;
  gpu::Observe observe_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::uint64_t, gpu::Buffer> buffers_;  // by address
  std::set<std::string> printed_;                 // findings, once each
  std::map<std::string, KernelCost> costs_;
  cudaError_t lost_ = cudaSuccess;
};

[[nodiscard]] Runtime& runtime();

/// CUDA's number of one of its names: "cudaErrorIllegalAddress".
[[nodiscard]] cudaError_t error_of(const std::string& name);

/// Remembers an error for cudaGetLastError, and returns it.
cudaError_t remember(cudaError_t error);

}  // namespace warpbook::cudart
