// Runtime: the state behind CUDA's runtime library on the virtual GPU. A host program that nvcc built, unmodified, launches its
// kernels there:
//
//     warpbook nvcc program.cu -o program
//     warpbook exec -- ./program
//
// or, without a report: LD_LIBRARY_PATH=build/lib/warpbook ./program
//
// Everything is done before a call returns: streams are in order by nature. The virtual GPU's memory lies in this process at the
// very addresses that kernels use, so that pinned and managed memory need no copies. A kernel's fault is told as CUDA tells it: not
// by the launch, but by the next call that waits for the device, and by every one after that.
//
// What is not here ends the program by not_run(), with its name: never a silent success.
//
// Environment, as exec sets it: WARPBOOK_JOURNAL, the folder for what exec reads (gpu/program/journal.h); without it findings and
// faults go to the standard error. WARPBOOK_PROFILE, the device (A40); WARPBOOK_OBSERVE, "all" or a list as `warpbook launch
// --observe` takes it; WARPBOOK_SCHEDULE, "fast" or "clock"; WARPBOOK_SEED; WARPBOOK_LAUNCH_SECONDS ends longer launches;
// WARPBOOK_STATISTICS=1 prints what every kernel cost at the end.
//
// Threads: each of CUDA's calls holds the mutex while it works (calls.h), a launch until the kernel has ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/program/journal.h"
#include "gpu/runtime/api.h"
#include "gpu/runtime/fat_binary.h"
#include "gpu/runtime/host_guard.h"
#include "gpu/virtual/virtual_device.h"

namespace warpbook::cudart {

/// Says what is missing and ends the program with gpu::program_not_run_status.
[[noreturn]] void not_run(const std::string& what);

/// One fat binary's PTX, unpacked when it is first needed.
struct Module {
  const std::byte* data = nullptr;
  gpu::ProgramPtr program;
};

struct Function {
  Module* module = nullptr;
  std::string name;  // of the entry
  const gpu::Kernel* kernel = nullptr;
  std::optional<std::uint32_t> number;  // in the journal
};

struct Symbol {
  Module* module = nullptr;
  std::string name;
};

/// Where a call came from: addresses in the program's code, the innermost first.
using Frames = std::vector<void*>;

struct Allocation {
  enum class Kind { device, host, managed };
  gpu::Buffer buffer;
  Kind kind = Kind::device;
  std::uint64_t number = 0;  // "allocation 3"
};

/// The arguments of a launch, copied: what a graph keeps.
struct KernelArguments {
  std::vector<std::vector<std::byte>> bytes;
};

class Runtime {
 public:
  Runtime();

  /// One thread at a time, as the device wants it.
  std::recursive_mutex mutex;

  [[nodiscard]] gpu::VirtualDevice& device();  // made when it is first asked for
  [[nodiscard]] const gpu::DeviceInfo& info() { return device().info(); }
  [[nodiscard]] gpu::ProgramJournal* journal();  // nullptr: there is none

  [[nodiscard]] Module* add_module(const void* fat_binary);
  /// A module of the driver's calls: PTX as text, or a fat binary; nullptr, and why, where it is no PTX that can be read.
  [[nodiscard]] Module* load_module(const void* image, std::string& why);
  [[nodiscard]] const gpu::Kernel& kernel(Function& function);  // ends the program where there is none
  [[nodiscard]] gpu::vm::Extent variable(const Symbol& symbol);

  [[nodiscard]] cudaError_t allocate(void** pointer, std::size_t bytes, Allocation::Kind kind);
  [[nodiscard]] cudaError_t release(void* pointer, bool host);
  /// All of it, as cudaDeviceReset does.
  void release_all();
  /// The allocation that `pointer` points into; nullptr: not the device's memory.
  [[nodiscard]] const Allocation* allocation_at(const void* pointer) const;
  /// May the host copy `bytes` here? Host memory always; the device's only within an allocation.
  [[nodiscard]] bool holds(const void* pointer, std::size_t bytes, bool write);
  [[nodiscard]] bool is_device_address(const void* pointer) const;

  [[nodiscard]] cudaError_t launch(Function& function, dim3 grid, dim3 block, void* const* arguments, std::size_t shared_bytes,
                                   bool cooperative);
  /// One of CUDA's calls has ended: the host's own code comes next.
  void close_device_memory() { guard_.close(); }
  [[nodiscard]] KernelArguments copy_arguments(Function& function, void* const* arguments);

  /// cudaSuccess, or what a kernel's fault left behind: then every call that waits for the device answers it.
  [[nodiscard]] cudaError_t lost() const { return lost_; }
  void set_lost(cudaError_t error) { lost_ = error; }
  /// Modelled time that the device has worked so far, in µs: under the clock schedule, else 0.
  [[nodiscard]] bool on_clock() const { return schedule_ == gpu::Schedule::clock; }
  [[nodiscard]] double device_us() const { return device_us_; }
  void count_copy(std::size_t bytes);

  /// The process was copied by fork(): the device, if there was one, is not to be used here.
  void begin_child();
  void end();  // the program ends: leaks, statistics

  std::map<const void*, Function> functions;  // by the host's stub
  std::map<const void*, Symbol> symbols;      // by the host's shadow

 private:
  void load(Module& module);
  gpu::LaunchRequest request(Function& function, dim3 grid, dim3 block, void* const* arguments,
                             std::vector<const gpu::Buffer*>& given);
  void tell_findings(const gpu::LaunchReport& report);
  void tell_launch(const Function& function, const gpu::LaunchReport& report);
  void tell_fault(const gpu::LaunchReport& report, bool refused);

  gpu::Compiler compiler_;
  std::unique_ptr<gpu::VirtualDevice> device_;
  std::unique_ptr<gpu::ProgramJournal> journal_;
  bool no_journal_ = false;
  gpu::Observe observe_;
  gpu::Schedule schedule_ = gpu::Schedule::fast;
  std::optional<std::uint64_t> seed_;
  double launch_seconds_ = 0;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::uint64_t, Allocation> allocations_;  // by address
  std::uint64_t next_allocation_ = 1;
  HostGuard guard_;             // keeps nothing unless memory is observed
  std::set<std::string> told_;  // findings, once each
  std::map<std::string, gpu::KernelCounters> statistics_;
  bool print_statistics_ = false;
  double device_us_ = 0;
  cudaError_t lost_ = cudaSuccess;
};

[[nodiscard]] Runtime& runtime();

}  // namespace warpbook::cudart
