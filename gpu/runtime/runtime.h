// Runtime: the state of CUDA's runtime library on the virtual GPU. An unmodified host program, built by nvcc, launches its kernels
// here:
//
//     warpbook nvcc program.cu -o program
//     warpbook exec -- ./program
//
// or, without a report: LD_LIBRARY_PATH=build/lib/warpbook ./program
//
// Every call finishes its work before it returns, so streams are always in order. The virtual GPU's memory is in this process, at
// the addresses that kernels use, so that pinned and managed memory need no copies. A kernel's fault is reported as CUDA reports
// it: not by the launch, but by the next call that waits for the device, and by every call after that.
//
// A call that is not implemented ends the program by not_run(), which names it. It never pretends to succeed.
//
// Environment variables, set by exec: WARPBOOK_JOURNAL, the folder of the journals that exec reads (gpu/program/journal.h); without
// it, findings and faults are printed to standard error. WARPBOOK_PROFILE, the device (A40). WARPBOOK_OBSERVE, "all" or a list, as
// for `warpbook launch --observe`. WARPBOOK_SCHEDULE, "fast" or "clock". WARPBOOK_SEED. WARPBOOK_LAUNCH_SECONDS, the time limit of
// a launch. WARPBOOK_STATISTICS=1 prints the cost of every kernel at the end.
//
// Threads: each of CUDA's calls holds the mutex while it works (calls.h); a launch holds it until the kernel has ended.
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

/// Prints what is missing and ends the program with gpu::program_not_run_status.
[[noreturn]] void not_run(const std::string& what);

/// The PTX of one fat binary, unpacked on first use.
struct Module {
  const std::byte* data = nullptr;
  gpu::ProgramPtr program;
};

struct Function {
  Module* module = nullptr;
  std::string name;  // of the entry point
  const gpu::Kernel* kernel = nullptr;
  std::optional<std::uint32_t> number;  // in the journal
};

struct Symbol {
  Module* module = nullptr;
  std::string name;
};

/// The call stack of a call: addresses in the program's code, the innermost first.
using Frames = std::vector<void*>;

struct Allocation {
  enum class Kind { device, host, managed };
  gpu::Buffer buffer;
  Kind kind = Kind::device;
  std::uint64_t number = 0;  // "allocation 3"
};

/// A copy of a launch's arguments, kept by a graph.
struct KernelArguments {
  std::vector<std::vector<std::byte>> bytes;
};

class Recorder;  // recorder.h

class Runtime {
 public:
  Runtime();
  ~Runtime();

  /// Only one thread at a time may use the device.
  std::recursive_mutex mutex;

  [[nodiscard]] gpu::VirtualDevice& device();  // made on first use
  [[nodiscard]] const gpu::DeviceInfo& info() { return device().info(); }
  [[nodiscard]] gpu::ProgramJournal* journal();  // nullptr: there is none
  [[nodiscard]] Recorder* recorder();            // nullptr: nothing is recorded

  [[nodiscard]] Module* add_module(const void* fat_binary);
  /// Loads a module for the driver API: PTX text or a fat binary. nullptr: no readable PTX; `why` is the reason.
  [[nodiscard]] Module* load_module(const void* image, std::string& why);
  [[nodiscard]] const gpu::Kernel& kernel(Function& function);  // ends the program if there is no such kernel
  [[nodiscard]] gpu::vm::Extent variable(const Symbol& symbol);

  [[nodiscard]] cudaError_t allocate(void** pointer, std::size_t bytes, Allocation::Kind kind);
  [[nodiscard]] cudaError_t release(void* pointer, bool host);
  /// Releases everything, for cudaDeviceReset.
  void release_all();
  /// The allocation that `pointer` points into. nullptr: it is not device memory.
  [[nodiscard]] const Allocation* allocation_at(const void* pointer) const;
  /// Whether the host may copy `bytes` here. In host memory always, in device memory only within an allocation.
  [[nodiscard]] bool holds(const void* pointer, std::size_t bytes, bool write);
  [[nodiscard]] bool is_device_address(const void* pointer) const;

  [[nodiscard]] cudaError_t launch(Function& function, dim3 grid, dim3 block, void* const* arguments, std::size_t shared_bytes,
                                   bool cooperative);
  /// Called when one of CUDA's calls ends and the host's own code continues.
  void close_device_memory() { guard_.close(); }
  [[nodiscard]] KernelArguments copy_arguments(Function& function, void* const* arguments);

  /// cudaSuccess, or the error of a kernel's fault, which every call that waits for the device then returns.
  [[nodiscard]] cudaError_t lost() const { return lost_; }
  /// Modelled time for which the device has worked so far, in µs: with the clock schedule, else 0.
  [[nodiscard]] bool on_clock() const { return schedule_ == gpu::Schedule::clock; }
  [[nodiscard]] double device_us() const { return device_us_; }
  void count_copy(std::size_t bytes);

  /// Called in the child after fork(), in which the parent's device cannot be used.
  void begin_child();
  void end();  // at the program's end: reports leaks and statistics

  std::map<const void*, Function> functions;  // by the address of the host's stub
  std::map<const void*, Symbol> symbols;      // by the address of the host's shadow variable

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
  std::unique_ptr<Recorder> recorder_;
  bool no_recorder_ = false;
  gpu::Observe observe_;
  gpu::Schedule schedule_ = gpu::Schedule::fast;
  std::optional<std::uint64_t> seed_;
  double launch_seconds_ = 0;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::uint64_t, Allocation> allocations_;  // by address
  std::uint64_t next_allocation_ = 1;
  HostGuard guard_;             // unused unless memory is observed
  std::set<std::string> told_;  // findings that were reported, each once
  std::map<std::string, gpu::KernelCounters> statistics_;
  bool print_statistics_ = false;
  double device_us_ = 0;
  cudaError_t lost_ = cudaSuccess;
};

[[nodiscard]] Runtime& runtime();

}  // namespace warpbook::cudart
