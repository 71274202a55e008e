// CudaDevice: the Device for an NVIDIA GPU, and the list of NVIDIA GPUs of this machine.
//
//     const CudaSetup cuda = find_cuda_devices();
//     if (!cuda.missing.empty()) say(cuda.missing);                 // why there is none, as a sentence
//     for (const CudaGpu& gpu : cuda.gpus) list(gpu.info.name, gpu.problem);
//     auto device = make_cuda_device(compiler, cuda.driver, 0);     // then as any Device
//
// Specific to a GPU:
//   times    LaunchReport::times are measured; run_ms is the kernel's time between two events.
//   output   CUDA prints printf's and assert's text to the process's stdout and stderr. While a program that has either is
//            running, both are redirected into LaunchReport::output and message. Output of other threads during that time is
//            redirected too.
//   faults   After an illegal address, an assert or a trap, the context is unusable, so it is destroyed and made anew. Programs
//            are loaded again when they are needed. Arrays get back what the host last wrote or filled into them. Contents are
//            lost of arrays that the host never wrote, and of arrays beyond 1 GiB in all; the report says so. Call mapped() again
//            afterwards: mapped memory keeps its contents but moves.
//   endless  A kernel cannot be stopped. After Limits::max_seconds, or half a second after Job::cancelled, its context is
//            abandoned and a new one is made. The kernel keeps its share of the GPU until it ends, or until Warpbook ends.
//   lost     If no new context can be made, lost() says why, and every later call fails with that sentence. Then use the
//            virtual GPU.
// What a GPU cannot observe stays Observation::not_observed. Only one thread may use the device at a time, but it need not always
// be the same one.
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
  DeviceInfo info;  // with all attributes that the driver reports
  std::string
      problem;  // a sentence that says why no kernel can run on it; make_cuda_device() also checks what NVRTC can compile for
};

/// The driver and its GPUs.
struct CudaSetup {
  DriverPtr driver;           // nullptr: there is no driver
  std::string version;        // newest CUDA version of the driver: "13.0"; empty if no driver answers
  std::string code, missing;  // code and message of the Error if no GPU can be used; else empty
  std::vector<CudaGpu> gpus;
};
/// Opens the driver of this machine. It never fails: `missing` says what is missing.
[[nodiscard]] CudaSetup find_cuda_devices();
/// The same with a driver that is already open.
[[nodiscard]] CudaSetup find_cuda_devices(DriverPtr driver);

/// Ends the process like a return from main(). If an abandoned kernel is still running, returning would wait for it; then the
/// output is flushed and the process ends without the driver's cleanup.
[[nodiscard]] int end_process(int exit_code);

/// Whether an abandoned kernel of this process is still running. Then mapped memory is not available, and neither is cuBLAS unless
/// it was used before, because CUDA might wait for ever.
[[nodiscard]] bool kernel_left_behind();

class CudaDevice : public Device {
 public:
  [[nodiscard]] virtual int ordinal() const = 0;

  /// For benchmarks: enqueues the launches in order, `rounds` times without waiting, and returns the mean time of a round in µs
  /// between two events. Nothing is observed and no output is captured.
  [[nodiscard]] virtual Result<double> measure_us(std::span<const LaunchRequest> launches, unsigned rounds) = 0;
};

/// The compiler must outlive the device. Error codes: "missing_device" (no such ordinal), "unsupported_device" (compute capability
/// below 7.5 with NVRTC 13, or a driver older than NVRTC's PTX), otherwise CUDA's error name.
[[nodiscard]] Result<std::unique_ptr<CudaDevice>> make_cuda_device(Compiler& compiler, DriverPtr driver, int ordinal = 0);

}  // namespace warpbook::gpu
