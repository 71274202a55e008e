// ScriptedDriver: a driver without a GPU. It records the calls, keeps handles and memory, and answers as a test asks.
//
//     ScriptedDriver gpu;
//     gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.array<int>(0)[0] = 7; };
//     gpu.fail({.call = 12, .with = CUDA_ERROR_ILLEGAL_ADDRESS});
//     auto device = make_cuda_device(compiler, gpu.table(), 0);
//     …
//     EXPECT_EQ(gpu.misuse(), ""); EXPECT_EQ(gpu.alive(), "");
//
// It is strict where CUDA is undefined: a dead handle, memory that was freed, a call without a current context, a graphics resource
// mapped twice are misuse. A sticky error breaks the current context: until cuCtxDestroy every call in it answers the same; where
// `faults_stay`, every new one too, as on an H200. While a kernel does not end, what may wait for it is misuse: allocating and
// freeing pinned memory, destroying any context, registering an OpenGL buffer that the kernel's context has mapped. What a kernel
// prints comes when the host synchronises, or, too late, when the context is destroyed. One at a time, for the table's functions
// carry no state; calls may come from several threads.
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

  /// The table, as open_driver() would give it; nothing has been called.
  [[nodiscard]] Driver entries() const;
  [[nodiscard]] DriverPtr table() const;

  // ---- what it is to do --------------------------------------------------------------------------------------------

  struct Launch {
    std::string kernel;
    unsigned grid[3], block[3], shared_bytes;
    bool cooperative;
    void** parameters;
    // To be set: how the kernel ends.
    CUresult result = CUDA_SUCCESS;
    bool endless = false;
    int polls = 0;         // cuEventQuery answers "not ready" so often
    std::string out, err;  // what it prints

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
    int call = -1;          // the n-th call from now on, from 0; −1: by name
    std::string name = {};  // "memAlloc": its next call, and all further ones where `always`
    CUresult with = CUDA_ERROR_OUT_OF_MEMORY;
    bool always = false;
    bool stays = false;  // from then on all calls in that context answer so, as they do after a reset of the GPU
  };
  void fail(Failure failure);
  void end_endless();  // lets a kernel that does not end, end
  bool faults_stay = false;  // after a sticky error no context can be made any more
  bool takes_ptx = true;     // false: its PTX is older than what the compiler makes, and only machine code is loaded

  CublasPtr cublas;  // what the device finds; nullptr: none

  double copy_ms = 0, kernel_ms = 0;  // what an asynchronous copy and a kernel take: events then tell a model of streams' times

  int version = 13000, devices = 1;
  std::string name = "Scripted GPU";
  std::map<int, int> attributes;  // by CUdevice_attribute
  std::map<int, CUresult> odd_attributes;  // those that answer an error
  std::set<int> bad_devices;               // ordinals that cannot be opened
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::map<unsigned, std::vector<std::byte>> gl_buffers;  // OpenGL's, by name
  std::vector<CUdevice> gl_devices{0};                    // those that draw

  // ---- what it has seen --------------------------------------------------------------------------------------------

  [[nodiscard]] std::vector<std::string> calls();  // names, in order
  [[nodiscard]] std::vector<std::string> enqueued();  // "copy in, stream 1", "event 2, stream 1", "add, stream 1", in order
  [[nodiscard]] int count(const std::string& name);
  void forget_calls();
  [[nodiscard]] std::string failed_call();  // the name of the call that fail() met; empty: none yet
  [[nodiscard]] std::string misuse();       // one a line
  [[nodiscard]] std::string held();         // memory and graphics resources, once contexts left behind have ended
  [[nodiscard]] std::string alive();        // contexts that nobody destroys, one a line; waits a moment for those who do

  struct State;
  [[nodiscard]] State& state() { return *state_; }

 private:
  static CublasPtr scripted_cublas();

  std::unique_ptr<State> state_;
};

}  // namespace warpbook::gpu::testing
