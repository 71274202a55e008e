// Runtime: what CUDA answers to the calls of a host program, and when, by the rules of its documentation.
//
//     Runtime runtime;
//     runtime.call("cudaMalloc(x)", host.calls()[0]);
//     runtime.launch("fail<<<32, 128>>>", host.calls()[3], report);   // returns nothing
//     runtime.get_last_error();
//     for (const Answered& call : runtime.calls()) print(call.text, call.answer);
//
// The rules (CUDA Runtime API, "Error Handling" and the notes of each call):
// - A launch that is refused never runs. The launch itself returns nothing: the thread's last error is set, and cudaGetLastError
//   returns and clears it. No other call tells of it.
// - A kernel that fails while it runs fails later than its launch returned. Whichever call talks to the device next, after that
//   moment, answers with the kernel's error; a call that waits for the kernel always does.
// - Such an error stays: the context is lost, every later call answers the same, and nothing more is carried out.
// - cudaGetLastError returns the last error of this thread's calls. It does not ask the device.
// Durations are the Host's (host.h); of a call that fails at once, a look-up's. Each call here is one line of the host program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/report.h"
#include "lessons/host.h"

namespace warpbook::lessons {

/// Whether the launch was not even begun.
[[nodiscard]] bool refused(const gpu::LaunchReport& report);

class Runtime {
 public:
  struct Answered {
    std::string text;
    std::string answer;                       // "cudaSuccess"; empty: it returns nothing
    double begin = 0, end = 0;                // µs
    double wait_begin = 0, wait_end = 0;      // where the host waits for the device; 0: it does not
    double device_begin = 0, device_end = 0;  // the device's work; 0: there is none
    std::string kernel;                       // launches that were carried out
    bool made = false;                        // here the first error came into the program
    bool asks = false;                        // cudaGetLastError or cudaDeviceSynchronize: called for its answer only
  };

  void call(std::string text, const HostCall& recorded);  // an allocation, or a copy to the device
  void launch(std::string text, const HostCall& recorded, const gpu::LaunchReport& report);
  void get_last_error();
  void synchronize();
  void copy_back(std::string text, const HostCall& recorded);
  void free(std::string text);

  [[nodiscard]] const std::vector<Answered>& calls() const { return calls_; }
  /// When a kernel failed on the device, µs; empty: none did.
  [[nodiscard]] std::optional<double> failed_at() const;
  [[nodiscard]] bool lost() const { return !stays_.empty(); }  // the context: an error has stayed

 private:
  struct Failing {
    std::string status;
    double at = 0;
  };

  /// Begins a call; one that talks to the device notices what has failed by now. Answers at once where an error stays.
  Answered& begin(std::string text);
  bool ends_at_once(Answered& call);
  void notice();
  void wait(Answered& call);
  void done(Answered& call, std::string answer);

  std::vector<Answered> calls_;
  double now_ = 0, device_free_ = 0;
  std::optional<Failing> failing_;  // on the device, whether noticed or not
  std::string stays_;               // the error that every call answers from now on
  std::string last_ = "cudaSuccess";
};

}  // namespace warpbook::lessons
