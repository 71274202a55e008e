// ScriptedDriver: a driver without a GPU. It records the calls, keeps handles and memory, and returns what a test asks for.
//
//     ScriptedDriver gpu;
//     gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.array<int>(0)[0] = 7; };
//     gpu.fail({.call = 12, .with = CUDA_ERROR_ILLEGAL_ADDRESS});
//     auto device = make_cuda_device(compiler, gpu.table(), 0);
//     …
//     EXPECT_EQ(gpu.misuse(), ""); EXPECT_EQ(gpu.alive(), "");
//
// It reports as misuse what CUDA leaves undefined: a dead handle, freed memory, a call without a current context, a graphics
// resource that is mapped twice. A sticky error breaks the current context: until cuCtxDestroy every call in it returns the same
// error; with `faults_stay` every new context does so too, as on an H200. While a kernel does not end, every call that might wait
// for it is misuse: allocating and freeing pinned memory, destroying any context, registering an OpenGL buffer that the kernel's
// context has mapped. A kernel's output is written when the host synchronises, or, too late, when the context is destroyed. Only
// one object may exist at a time, because the table's functions have no state. Calls may come from several threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/driver.h"

namespace warpbook::gpu::testing {

class ScriptedDriver {
 public:
  ScriptedDriver();
  ~ScriptedDriver();
  ScriptedDriver(const ScriptedDriver&) = delete;
  ScriptedDriver& operator=(const ScriptedDriver&) = delete;

  /// The table, as from open_driver(). Nothing has been called.
  [[nodiscard]] Driver entries() const;
  [[nodiscard]] DriverPtr table() const;

  // ---- settings ----------------------------------------------------------------------------------------------------

  struct Launch {
    std::string kernel;
    unsigned grid[3], block[3], shared_bytes;
    bool cooperative;
    void** parameters;
    // Set by the test: the kernel's result.
    CUresult result = CUDA_SUCCESS;
    bool endless = false;
    int polls = 0;         // number of times that cuEventQuery returns "not ready"
    std::string out, err;  // its output

    template <class T>
    [[nodiscard]] T value(int p) const {
      return *static_cast<T*>(parameters[p]);
    }
    template <class T>
    [[nodiscard]] T* array(int p) const {
      return reinterpret_cast<T*>(value<CUdeviceptr>(p));
    }
  };
  std::function<void(Launch&)> on_launch;

  struct Failure {
    int call = -1;          // the n-th call from now on, from 0; −1: use the name
    std::string name = {};  // "memAlloc": its next call, and with `always` all later ones
    CUresult with = CUDA_ERROR_OUT_OF_MEMORY;
    bool always = false;
    bool stays = false;  // from then on, all calls in the context return this, as after a reset of the GPU
  };
  void fail(Failure failure);
  void end_endless();  // ends a kernel that does not end by itself
  bool faults_stay = false;  // no new context works after a sticky error
  bool takes_ptx = true;     // false: its PTX version is older than the compiler's, so that only machine code can be loaded

  CublasPtr cublas;  // the library that the device finds; nullptr: none

  double copy_ms = 0, kernel_ms = 0;  // durations of an asynchronous copy and of a kernel, from which the times of events follow

  int version = 13000, devices = 1;
  std::string name = "Scripted GPU";
  std::map<int, int> attributes;  // by CUdevice_attribute
  std::map<int, CUresult> odd_attributes;  // attributes that return an error
  std::set<int> bad_devices;               // ordinals that cannot be opened
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::map<unsigned, std::vector<std::byte>> gl_buffers;  // OpenGL buffers by name
  std::vector<CUdevice> gl_devices{0};                    // devices of the OpenGL context

  // ---- records -----------------------------------------------------------------------------------------------------

  [[nodiscard]] std::vector<std::string> calls();  // names, in order
  [[nodiscard]] std::vector<std::string> enqueued();  // "copy in, stream 1", "event 2, stream 1", "add, stream 1", in order
  [[nodiscard]] int count(const std::string& name);
  void forget_calls();
  [[nodiscard]] std::string failed_call();  // the call that fail() was applied to; empty: none yet
  [[nodiscard]] std::string misuse();       // one per line
  [[nodiscard]] std::string held();         // memory and graphics resources, after abandoned contexts have ended
  [[nodiscard]] std::string alive();        // contexts that were not destroyed, one per line; waits a moment for their destruction

  struct State;
  [[nodiscard]] State& state() { return *state_; }

 private:
  static CublasPtr scripted_cublas();

  std::unique_ptr<State> state_;
};

}  // namespace warpbook::gpu::testing
