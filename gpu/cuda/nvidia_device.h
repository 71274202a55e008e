// NvidiaDevice: the implementation of CudaDevice. It connects context, arrays, programs, launches and drawing.
//
// Every call to the driver goes through use(). It makes the context current, and if the call breaks the context, it makes a new one
// before it returns. So every public call starts with a working context, or lost() is set. A function that cannot return an error
// (release, mapped) stores it, and the next call that can return one does so: no error is dropped.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda/arrays.h"
#include "gpu/cuda/context.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/interop.h"
#include "gpu/matrix_library.h"
#include "gpu/message.h"
#include "gpu/streams.h"

namespace warpbook::gpu {

inline double us(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

class NvidiaDevice final : public CudaDevice, private GraphicsInterop, private MatrixLibrary, private Streams {
 public:
  NvidiaDevice(Compiler& compiler, DriverPtr driver, CUdevice device, int ordinal, DeviceInfo info,
               std::unique_ptr<Context> context, bool machine_code);
  ~NvidiaDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] int ordinal() const override { return ordinal_; }
  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> compile(const Source& source) override;
  [[nodiscard]] Result<Buffer> allocate(const Array& array) override;
  [[nodiscard]] Result<Buffer> allocate_mapped(const Array& array) override;
  void release(const Buffer& buffer) override;
  [[nodiscard]] Result<void> write(const Buffer& buffer, std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<void> read(const Buffer& buffer, std::span<std::byte> bytes) override;
  [[nodiscard]] Result<void> fill(const Buffer& buffer, Scalar value) override;
  [[nodiscard]] Result<void> write_variable(const ProgramPtr& program, const Variable& variable,
                                            std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<void> read_variable(const ProgramPtr& program, const Variable& variable,
                                           std::span<std::byte> bytes) override;
  [[nodiscard]] std::span<std::byte> mapped(const Buffer& buffer) override;
  [[nodiscard]] LaunchReport launch(const LaunchRequest& request, Job* job) override;
  [[nodiscard]] Result<double> measure_us(std::span<const LaunchRequest> launches, unsigned rounds) override;
  [[nodiscard]] std::string lost() const override { return lost_; }
  [[nodiscard]] GraphicsInterop* graphics() override { return this; }
  [[nodiscard]] Streams* streams() override { return this; }
  [[nodiscard]] MatrixLibrary* matrix_library() override;

 private:
  // GraphicsInterop (nvidia_interop.cpp).
  void drawn_by(const std::string& renderer) override { renderer_ = renderer; }
  [[nodiscard]] DrawPath examine() override;
  [[nodiscard]] Result<void> attach(const Buffer& buffer, unsigned int gl_buffer) override;
  [[nodiscard]] Result<std::span<const std::byte>> publish(const Buffer& buffer) override;
  void detach(const Buffer& buffer) override;
  [[nodiscard]] const DrawPath& path() const override { return path_; }
  [[nodiscard]] DrawPath ask_opengl();
  [[nodiscard]] DrawPath copied(const Error& why) const;
  [[nodiscard]] std::string why_not_shared(CUresult result) const;

  template <class F>
  auto use(F&& call) -> decltype(call());
  template <class F>
  void use_without_answer(F&& call);
  [[nodiscard]] Result<void> enter();
  /// After a call: replaces a broken context, and stores its error for the next call that can report it.
  void leave();
  /// Destroys the broken context and makes a new one, or sets lost_. aftermath_ becomes the last part of sentences about the fault.
  void rebuild();

  // Launches (nvidia_launch.cpp).
  struct Loaded {
    CUmodule module = nullptr;
    ProgramPtr program;   // keeps the program's id in use
    bool prints = false;  // calls printf or assert
  };
  struct Prepared {
    const Kernel* kernel = nullptr;
    CUfunction function = nullptr;
    bool cooperative = false, prints = false;
    std::vector<std::byte> parameters;
    std::vector<std::size_t> offsets;
    std::span<std::byte> early;  // the host's view of LaunchRequest::read_early
  };
  enum class Ended { well, failed, too_long, cancelled };
  struct Waited {
    Ended how = Ended::well;
    bool still_running = false;
    CUresult result = CUDA_SUCCESS;
  };
  [[nodiscard]] Result<Loaded*> load(const ProgramPtr& program);
  [[nodiscard]] Result<CUdeviceptr> address_of(const ProgramPtr& program, CUmodule module, const Variable& variable,
                                               std::size_t bytes);
  void forget_an_old_program();                                                // when too many are loaded
  [[nodiscard]] std::set<std::string> given_to(const Program& program) const;  // symbols of the variables that the host wrote
  /// Writes what the host stored in a program's variables into its newly loaded module.
  [[nodiscard]] Result<void> restore_variables(const ProgramPtr& program, CUmodule module);
  [[nodiscard]] Result<Prepared> prepare(const LaunchRequest& request, LaunchReport& report);
  [[nodiscard]] Result<void> prepare_shared_memory(const LaunchRequest& request, const Prepared& prepared, int static_bytes);
  [[nodiscard]] Result<void> check_cooperative(const LaunchRequest& request, const Prepared& prepared);
  [[nodiscard]] CUresult start(const LaunchRequest& request, Prepared& prepared, CUstream stream);
  [[nodiscard]] Waited wait(CUevent event, double max_seconds, const Job* job);
  void print_what_was_printed(Waited& waited);
  void run(const LaunchRequest& request, Prepared& prepared, Job* job, LaunchReport& report);
  void explain_refusal(CUresult result, const LaunchRequest& request, LaunchReport& report);
  void explain_fault(CUresult result, const std::string& printed, LaunchReport& report) const;

  // MatrixLibrary (nvidia_matrices.cpp).
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Result<double> multiply(const Buffer& a, const Buffer& b, const Buffer& c) override;
  [[nodiscard]] Result<Cublas::Handle> cublas_handle();

  // Streams (nvidia_streams.cpp).
  [[nodiscard]] LaunchReport check(const LaunchRequest& request) override;
  [[nodiscard]] StreamReport perform(std::span<const StreamOperation> operations, Job* job) override;
  struct Batch;
  [[nodiscard]] Result<void> prepare(std::span<const StreamOperation> operations, Batch& batch);
  [[nodiscard]] Result<void> prepare_copy(std::span<const StreamOperation> operations, std::size_t at, Batch& batch);
  void run(Batch& batch, Job* job, StreamReport& report);
  [[nodiscard]] CUresult enqueue(Batch& batch);
  [[nodiscard]] CUresult enqueue_work(Batch& batch, std::size_t at);
  [[nodiscard]] Waited give_and_wait(Batch& batch, Job* job);
  [[nodiscard]] Waited wait(Batch& batch, const Job* job);
  [[nodiscard]] CUresult measure(const Batch& batch, std::vector<StreamSpan>& spans);
  [[nodiscard]] LaunchReport explain(const Batch& batch, const Waited& waited, const std::string& printed);

  Compiler& compiler_;
  DriverPtr driver_;
  CUdevice device_;
  int ordinal_;
  DeviceInfo info_;
  bool machine_code_;  // the driver is older than NVRTC's PTX, and therefore loads machine code
  std::unique_ptr<Context> context_;
  std::string lost_;
  Paragraph aftermath_;
  std::optional<Error> untold_;  // a fault that was not reported yet
  Arrays arrays_;
  std::map<std::uint64_t, Loaded> programs_;
  std::set<std::uint64_t> in_batch_;  // programs of the running batch, which must stay loaded
  /// By program and symbol: the bytes that the host wrote. A fault destroys the module with its variables.
  std::map<std::uint64_t, std::map<std::string, std::vector<std::byte>>> given_variables_;
  DrawPath path_;
  std::string renderer_;  // OpenGL's name of the renderer; empty: not set
  CublasPtr cublas_;      // nullptr: not loaded yet, or not found
  bool asked_for_cublas_ = false;
  Cublas::Handle cublas_handle_ = nullptr;  // belongs to the current context
};

template <class F>
auto NvidiaDevice::use(F&& call) -> decltype(call()) {
  if (untold_) return failure(*std::exchange(untold_, std::nullopt));
  if (auto entered = enter(); !entered) return failure(entered.error());
  auto result = call();
  leave();
  if (!result && untold_) {
    result.error().message += " " + say(aftermath_);
    untold_.reset();
  }
  return result;
}

template <class F>
void NvidiaDevice::use_without_answer(F&& call) {
  if (auto entered = enter(); entered) {
    call();
    leave();
  } else if (lost_.empty()) {
    untold_ = entered.error();
  }
}

}  // namespace warpbook::gpu
