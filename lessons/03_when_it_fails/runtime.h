// Runtime: models which results CUDA's calls return to a host program, and when, by the rules of its documentation.
//
//     Runtime runtime;
//     runtime.call("cudaMalloc(x)", host.calls()[0]);
//     runtime.launch("fail<<<32, 128>>>", host.calls()[3], report);   // returns nothing
//     runtime.get_last_error();
//     for (const Answered& call : runtime.calls()) print(call.text, call.answer);
//
// The rules (CUDA Runtime API, "Error Handling" and the notes of each call):
// - A refused launch never runs. The launch itself returns nothing: it sets the thread's last error, which cudaGetLastError returns
//   and clears. No other call reports it.
// - A kernel that fails while it runs fails after its launch has returned. The next call that accesses the device after that moment
//   returns the kernel's error. A call that waits for the kernel always does.
// - Such an error is sticky: the context is lost, every later call returns the same error, and nothing more is executed.
// - cudaGetLastError returns the last error of this thread's calls. It does not ask the device.
// Durations are the Host's (host.h). A call that fails at once takes as long as a look-up. Each call is one line of the host
// program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/report.h"
#include "lessons/host.h"

namespace warpbook::lessons {

/// Whether the launch was refused, so that it never ran.
[[nodiscard]] bool refused(const gpu::LaunchReport& report);

class Runtime {
 public:
  struct Answered {
    std::string text;
    std::string answer;                       // "cudaSuccess"; empty: the call returns nothing
    double begin = 0, end = 0;                // µs
    double wait_begin = 0, wait_end = 0;      // while the host waits for the device; 0: it does not wait
    double device_begin = 0, device_end = 0;  // the device's work; 0: none
    std::string kernel;                       // of a launch that was executed
    bool made = false;                        // the program's first error occurred here
    bool asks = false;                        // cudaGetLastError or cudaDeviceSynchronize, called to check for errors
  };

  void call(std::string text, const HostCall& recorded);  // an allocation, or a copy to the device
  void launch(std::string text, const HostCall& recorded, const gpu::LaunchReport& report);
  void get_last_error();
  void synchronize();
  void copy_back(std::string text, const HostCall& recorded);
  void free(std::string text);

  [[nodiscard]] const std::vector<Answered>& calls() const { return calls_; }
  /// When a kernel failed on the device, in µs. Empty: none did.
  [[nodiscard]] std::optional<double> failed_at() const;
  [[nodiscard]] bool lost() const { return !stays_.empty(); }  // the context is lost to a sticky error

 private:
  struct Failing {
    std::string status;
    double at = 0;
  };

  /// Begins a call. If it accesses the device, it notices a kernel that has failed by now. After a sticky error it returns at once.
  Answered& begin(std::string text);
  bool ends_at_once(Answered& call);
  void notice();
  void wait(Answered& call);
  void done(Answered& call, std::string answer);

  std::vector<Answered> calls_;
  double now_ = 0, device_free_ = 0;
  std::optional<Failing> failing_;  // a failure on the device, reported or not
  std::string stays_;               // the sticky error, which every call returns from now on
  std::string last_ = "cudaSuccess";
};

}  // namespace warpbook::lessons
