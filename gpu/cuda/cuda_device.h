// CudaDevice: device 1 of the contract, an NVIDIA GPU behind its driver; and what this machine has of them.
//
//     const CudaSetup cuda = find_cuda_devices();
//     if (!cuda.missing.empty()) say(cuda.missing);                 // why there is none, as a sentence
//     for (const CudaGpu& gpu : cuda.gpus) list(gpu.info.name, gpu.problem);
//     auto device = make_cuda_device(compiler, cuda.driver, 0);     // then as any Device
//
// What a GPU adds to the contract of device.h:
//   times    LaunchReport::times are measured; run_ms is the kernel's own time between two events.
//   output   CUDA prints printf's and assert's text to the process's stdout and stderr; while a program that has either runs, both
//            are caught and end up in LaunchReport::output and message. What other threads print meanwhile is caught too.
//   faults   After an illegal address, an assert or a trap nothing of the context can be used, so it is destroyed and built anew:
//            programs are loaded again when they are needed, arrays hold again what the host last wrote or filled into them
//            (of arrays beyond 1 GiB in all, and of those the host never wrote, the contents are lost; the report says so). Ask for
//            mapped() again then: mapped memory keeps its contents but moves.
//   endless  A kernel cannot be stopped. After Limits::max_seconds, or half a second after Job::cancelled, its context is left
//   alone,
//            and a new one is made. The kernel goes on taking its share of the GPU until it ends, or Warpbook does.
//   lost     Where no new context can be had, lost() says why from then on and every call fails with that sentence: go on with the
//            virtual GPU.
// Everything not observed stays Observation::not_observed. One thread uses the device at a time, but it may be another each time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/interop.h"
#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::gpu {

struct Driver;  // driver.h
using DriverPtr = std::shared_ptr<const Driver>;

struct CudaGpu {
  int ordinal = 0;
  DeviceInfo info;      // with every attribute that the driver knows
  std::string problem;  // why no kernel can run on it, as a sentence; make_cuda_device() also asks what NVRTC can compile for
};

/// The driver and its GPUs.
struct CudaSetup {
  DriverPtr driver;           // empty where there is none
  std::string version;        // newest CUDA the driver knows: "13.0"; empty where no driver answers
  std::string code, missing;  // why there is no GPU to run on: an Error's two halves; empty where there is one
  std::vector<CudaGpu> gpus;
};
/// Opens the driver of this machine. Never fails: what is missing is said in `missing`.
[[nodiscard]] CudaSetup find_cuda_devices();
/// The same for a driver that is open already.
[[nodiscard]] CudaSetup find_cuda_devices(DriverPtr driver);

/// Ends the process as a return from main() does. Where a kernel was left behind, which the driver waits for when a process
/// returns, what was printed is written out and the process ends without asking the driver.
[[nodiscard]] int end_process(int exit_code);

/// Whether a kernel of this process that does not end runs still. Then mapped memory is not to be had, nor cuBLAS, if it has not
/// been used before: CUDA might wait for ever.
[[nodiscard]] bool kernel_left_behind();

class CudaDevice : public Device {
 public:
  [[nodiscard]] virtual int ordinal() const = 0;

  /// For benchmarks: queues the launches in order, `rounds` times over, without waiting in between, and returns the mean time of
  /// one round in µs, between two events. Observes nothing, captures no output.
  [[nodiscard]] virtual Result<double> measure_us(std::span<const LaunchRequest> launches, unsigned rounds) = 0;
};

/// The compiler must outlive the device. Error codes: "missing_device" (no such ordinal), "unsupported_device" (compute capability
/// below 7.5 with NVRTC 13, or a driver older than NVRTC's PTX), otherwise CUDA's own name.
[[nodiscard]] Result<std::unique_ptr<CudaDevice>> make_cuda_device(Compiler& compiler, DriverPtr driver, int ordinal = 0);

}  // namespace warpbook::gpu
