// Faults: every call of a session fails in turn; kernels fault, print, or never end; contexts are built anew or are not to be had.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/cuda/scenario.h"

namespace warpbook::gpu::testing {
namespace {

using Clock = std::chrono::steady_clock;

const std::vector<int> first{1, 2, 3, 4}, sum{2, 3, 4, 5}, zeros{0, 0, 0, 0};

/// A session as a lesson has it, which goes on after an error. A call that says it did well must have done well: from an error on,
/// until the array is written again, `out` may be either.
class Session {
 public:
  explicit Session(ScriptedDriver& gpu) : gpu_(gpu) {
    gpu.on_launch = add_one;
    gpu.gl_buffers[7].resize(16);
  }

  void run() {
    const auto driver = start_driver(gpu_.entries());
    if (!good(driver)) return;
    const CudaSetup setup = find_cuda_devices(*driver);
    if (!setup.missing.empty()) {
      note({setup.code, setup.missing});
      return;
    }
    auto made = make_cuda_device(compiler(), *driver);
    if (!good(made)) return;
    device_ = std::move(*made);
    work();
    // Whatever failed, now the device works, or says for good that it does not.
    if (device_->lost().empty()) {
      recover();
    } else {
      EXPECT_TRUE(is_sentence(device_->lost())) << device_->lost();
      const auto refused = device_->allocate(ints("late", 1));
      EXPECT_FALSE(refused);
    }
    // All arrays given back: what is left in the context has leaked, unless it was giving back that failed.
    for (const Buffer& buffer : buffers_) device_->release(buffer);
    const std::string failed = gpu_.failed_call();
    if (!failed.starts_with("memFree") && !failed.starts_with("graphicsUn")) {
      EXPECT_EQ(gpu_.held(), "") << "after a failed " << failed;
    }
    device_.reset();
  }

  [[nodiscard]] const std::vector<Error>& errors() const { return errors_; }

 private:
  void work() {
    auto a = keep(device_->allocate(ints("a", 4)));
    if (!good(a)) return;
    auto out = keep(device_->allocate(ints("out", 4)));
    if (!good(out)) return;
    auto early = keep(device_->allocate_mapped(ints("early", 4)));
    if (good(early)) {
      if (good(write(*device_, *early, first)) && good(device_->fill(*early, Scalar::of(0))))
        if (const auto seen = device_->mapped(*early); !seen.empty()) expect(numbers_in(seen), zeros);
    }
    const bool filled = good(write(*device_, *a, first)) && good(device_->fill(*out, Scalar::of(0)));
    if (!filled) return;
    const ProgramPtr add = program(true);
    if (launch(add, *a, *out))
      if (auto values = read(*device_, *out); good(values)) expect(*values, sum);
    // What the host wrote is there, whatever happened.
    if (auto values = read(*device_, *a); good(values)) expect(*values, first);
    draw(add, *a, *out);
    if (early) device_->release(*early);
    device_->release(*a);
    device_->release(*out);
  }
  Result<Buffer> keep(Result<Buffer> buffer) {
    if (buffer) buffers_.push_back(*buffer);
    return buffer;
  }

  void draw(const ProgramPtr& add, const Buffer& a, const Buffer& out) {
    GraphicsInterop& graphics = *device_->graphics();
    (void)graphics.examine();
    EXPECT_TRUE(is_sentence(graphics.path().sentence)) << graphics.path().sentence;
    if (!good(device_->fill(out, Scalar::of(0)))) return;
    if (good(graphics.attach(out, 7)) && launch(add, a, out)) {
      if (const auto pixels = graphics.publish(out); good(pixels))
        expect(numbers_in(pixels->empty() ? std::span<const std::byte>(gpu_.gl_buffers[7]) : *pixels), sum);
      EXPECT_TRUE(is_sentence(graphics.path().sentence)) << graphics.path().sentence;
      if (launch(add, a, out))
        if (const auto values = read(*device_, out); good(values)) expect(*values, sum);
    }
    graphics.detach(out);
  }

  bool launch(const ProgramPtr& add, const Buffer& a, const Buffer& out) {
    const LaunchReport report = device_->launch(add_request(add, a, out, 4), nullptr);
    if (report.ok()) return true;
    note({report.status, say(report.message)});
    return false;
  }

  /// A fresh start gives the right sum: at once, or after one more error, of a fault that nobody had been told of.
  void recover() {
    auto values = fresh();
    if (!good(values)) values = fresh();
    ASSERT_TRUE(values) << values.error().message;
    EXPECT_EQ(*values, sum);
  }
  Result<std::vector<int>> fresh() {
    auto a = keep(device_->allocate(ints("a", 4)));
    if (!a) return failure(a.error());
    auto out = keep(device_->allocate(ints("out", 4)));
    if (!out) return failure(out.error());
    if (auto done = write(*device_, *a, first); !done) return failure(done.error());
    const LaunchReport report = device_->launch(add_request(program(), *a, *out, 4), nullptr);
    if (!report.ok()) return failure(report.status, say(report.message));
    return read(*device_, *out);
  }

  static void expect(const std::vector<int>& values, const std::vector<int>& right) { EXPECT_EQ(values, right); }

  template <class T>
  bool good(const Result<T>& result) {
    if (!result) note(result.error());
    return result.has_value();
  }
  void note(const Error& error) {
    errors_.push_back(error);
    EXPECT_TRUE(is_sentence(error.message)) << error.message;
    EXPECT_NE(error.code, "");
  }

  ScriptedDriver& gpu_;
  std::unique_ptr<CudaDevice> device_;
  std::vector<Error> errors_;
  std::vector<Buffer> buffers_;
};

class EveryCall : public ::testing::TestWithParam<CUresult> {};

TEST_P(EveryCall, FailsOnceInASessionThatGoesOn) {
  int met = 0, told = 0, calls = 0;
  {
    ScriptedDriver gpu;
    Session session(gpu);
    session.run();
    EXPECT_TRUE(session.errors().empty()) << session.errors()[0].message;
    calls = static_cast<int>(gpu.calls().size());
  }
  ASSERT_GT(calls, 100);
  for (int n = 0; n < calls; ++n) {
    ScriptedDriver gpu;
    gpu.fail({.call = n, .with = GetParam()});
    Session session(gpu);
    session.run();
    const std::string failed = gpu.failed_call();
    SCOPED_TRACE("call " + std::to_string(n) + ": " + failed);
    ASSERT_NE(failed, "");
    ++met;
    // Attributes are left out and OpenGL's no is a path; freeing and closing have nobody to tell.
    if (!session.errors().empty()) ++told;
    EXPECT_EQ(gpu.misuse(), "");
    EXPECT_EQ(gpu.alive(), "");
    EXPECT_EQ(gpu.count("ctxCreate") - (failed == "ctxCreate" ? 1 : 0), gpu.count("ctxDestroy"));
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(met, calls);
  EXPECT_GT(told, 30);
}

INSTANTIATE_TEST_SUITE_P(Results, EveryCall,
                         ::testing::Values(CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN, CUDA_ERROR_ILLEGAL_ADDRESS,
                                           CUDA_ERROR_CONTEXT_IS_DESTROYED),
                         [](const auto& parameter) { return cuda_name(parameter.param); });

struct Fault {
  CUresult result;
  const char *status, *words;
};
class EveryFault : public ::testing::TestWithParam<Fault> {};

TEST_P(EveryFault, IsNamedAndTheDeviceGoesOn) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 4));
  auto out = device->allocate(ints("out", 4));
  auto early = device->allocate_mapped(ints("early", 4));
  ASSERT_TRUE(write(*device, *a, first));
  ASSERT_TRUE(device->fill(*out, Scalar::of(7)));
  ASSERT_TRUE(device->fill(*early, Scalar::of(0)));
  const ProgramPtr add = program(true);
  gpu.on_launch = [](ScriptedDriver::Launch& launch) {
    launch.result = GetParam().result;
    launch.err = "add.cu:3: void add(): block: [0,0,0], thread: [5,0,0] Assertion `i < n` failed.\n";
    launch.array<int>(1)[0] = 99;  // written before the fault
  };
  const LaunchReport report = device->launch(add_request(add, *a, *early, 4), nullptr);
  EXPECT_EQ(report.status, GetParam().status);
  EXPECT_NE(say(report.message).find(GetParam().words), std::string::npos) << say(report.message);
  EXPECT_NE(say(report.message).find("set up anew"), std::string::npos) << say(report.message);
  EXPECT_TRUE(is_sentence(say(report.message))) << say(report.message);
  EXPECT_EQ(device->lost(), "");
  EXPECT_EQ(gpu.count("ctxDestroy"), 1);
  // Arrays are as the host last put them; mapped memory is the host's own, and shows what the kernel did.
  EXPECT_EQ(*read(*device, *a), first);
  EXPECT_EQ(*read(*device, *out), (std::vector<int>{7, 7, 7, 7}));
  EXPECT_EQ(*read(*device, *early), (std::vector<int>{99, 0, 0, 0}));
  // The same program again: loaded anew, and right.
  gpu.on_launch = add_one;
  const LaunchReport again = device->launch(add_request(add, *a, *out, 4), nullptr);
  EXPECT_TRUE(again.ok()) << say(again.message);
  EXPECT_EQ(*read(*device, *out), sum);
  EXPECT_EQ(gpu.count("moduleLoadDataEx"), 2);
  device.reset();
  EXPECT_EQ(gpu.misuse(), "");
  EXPECT_EQ(gpu.alive(), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryFault,
                         ::testing::Values(Fault{CUDA_ERROR_ILLEGAL_ADDRESS, "cudaErrorIllegalAddress", "belongs to no array"},
                                           Fault{CUDA_ERROR_MISALIGNED_ADDRESS, "cudaErrorMisalignedAddress", "no multiple"},
                                           Fault{CUDA_ERROR_ASSERT, "cudaErrorAssert", "thread: [5,0,0] Assertion `i < n` failed."},
                                           Fault{CUDA_ERROR_LAUNCH_FAILED, "cudaErrorLaunchFailure", "trap"},
                                           Fault{CUDA_ERROR_ILLEGAL_INSTRUCTION, "cudaErrorIllegalInstruction", "trap"},
                                           Fault{CUDA_ERROR_HARDWARE_STACK_ERROR, "cudaErrorHardwareStackError", "recursion"},
                                           Fault{CUDA_ERROR_INVALID_ADDRESS_SPACE, "cudaErrorInvalidAddressSpace", "pointer"},
                                           Fault{CUDA_ERROR_INVALID_PC, "cudaErrorInvalidPc", "`add` failed"},
                                           Fault{CUDA_ERROR_ECC_UNCORRECTABLE, "cudaErrorECCUncorrectable", "hardware"},
                                           Fault{CUDA_ERROR_LAUNCH_TIMEOUT, "cudaErrorLaunchTimeout", "draws the screen"}),
                         [](const auto& parameter) { return std::string(parameter.param.status); });

TEST(CudaFaults, AssertTextDoesNotReachTheTerminal) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) {
    launch.result = CUDA_ERROR_ASSERT;
    launch.err = "add.cu:3: Assertion `false` failed.\nadd.cu:3: and again\n";
  };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  ::testing::internal::CaptureStderr();
  const LaunchReport report = device->launch(add_request(program(true), *a, *a, 0), nullptr);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(say(report.message).find("Assertion `false` failed."), std::string::npos) << say(report.message);
  EXPECT_EQ(say(report.message).find("and again"), std::string::npos);
}

// CUDA does not promise that a process may go on after a fault: then the device says so and stays so.
TEST(CudaFaults, WithoutANewContextTheDeviceIsLost) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  gpu.fail({.name = "ctxCreate", .with = CUDA_ERROR_ILLEGAL_ADDRESS, .always = true});
  const LaunchReport report = device->launch(add_request(program(), *a, *a, 0), nullptr);
  EXPECT_EQ(report.status, "cudaErrorIllegalAddress");
  EXPECT_NE(say(report.message).find("virtual GPU"), std::string::npos);
  EXPECT_TRUE(is_sentence(device->lost())) << device->lost();
  EXPECT_NE(device->lost().find("After such a fault CUDA refuses"), std::string::npos) << device->lost();
  EXPECT_NE(say(report.message).find(device->lost()), std::string::npos) << say(report.message);
  gpu.forget_calls();
  EXPECT_EQ(device->allocate(ints("b", 1)).error().message, device->lost());
  EXPECT_EQ(write(*device, *a, {1}).error().message, device->lost());
  EXPECT_EQ(say(device->launch(add_request(program(), *a, *a, 0), nullptr).message), device->lost());
  EXPECT_TRUE(device->mapped(*a).empty());
  EXPECT_EQ(device->graphics()->examine().kind, DrawPath::Kind::pinned_copy);
  device->release(*a);
  EXPECT_TRUE(gpu.calls().empty());  // nobody bothers a driver that has failed for good
  device.reset();
  EXPECT_EQ(gpu.alive(), "");
}

// What a kernel printed before it failed stands in the report, and the terminal stays as it was.
TEST(CudaFaults, WhatAFailedKernelPrintedIsInTheReport) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) {
    launch.result = CUDA_ERROR_ILLEGAL_ADDRESS;
    launch.out = "thread 3 was here\n";
  };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  ::testing::internal::CaptureStdout();
  const LaunchReport report = device->launch(add_request(program(true), *a, *a, 0), nullptr);
  device.reset();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(report.output, "thread 3 was here\n");
}

// As on an H200: the error outlives the context that met it.
TEST(CudaFaults, AFaultThatStaysLosesTheDevice) {
  ScriptedDriver gpu;
  gpu.faults_stay = true;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  const LaunchReport report = device->launch(add_request(program(), *a, *a, 0), nullptr);
  EXPECT_EQ(report.status, "cudaErrorIllegalAddress");
  EXPECT_NE(device->lost().find("start Warpbook again"), std::string::npos) << device->lost();
  EXPECT_NE(say(report.message).find(device->lost()), std::string::npos) << say(report.message);
  device.reset();
  EXPECT_EQ(gpu.alive(), "");
  EXPECT_FALSE(open(gpu));  // another device of this process is refused as well
}

// After a reset of the GPU a driver answers every call of a context with cudaErrorUnknown, which also has lesser causes.
TEST(CudaFaults, AnUnknownErrorIsProbed) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 4));
  ASSERT_TRUE(write(*device, *a, first));
  gpu.fail({.name = "memcpyDtoH", .with = CUDA_ERROR_UNKNOWN});
  EXPECT_FALSE(read(*device, *a));
  EXPECT_EQ(*read(*device, *a), first);
  EXPECT_EQ(gpu.count("ctxCreate"), 1);

  gpu.fail({.name = "memcpyDtoH", .with = CUDA_ERROR_UNKNOWN, .stays = true});
  const auto reset = read(*device, *a);
  ASSERT_FALSE(reset);
  EXPECT_NE(reset.error().message.find("set up anew"), std::string::npos) << reset.error().message;
  EXPECT_EQ(*read(*device, *a), first);
  EXPECT_EQ(gpu.count("ctxCreate"), 2);
}

// A new context that cannot reach its memory is as good as none.
TEST(CudaFaults, ANewContextIsTriedBeforeItIsTrusted) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  gpu.on_launch = [&](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  gpu.fail({.name = "ctxSynchronize", .with = CUDA_ERROR_ILLEGAL_ADDRESS});
  EXPECT_EQ(device->launch(add_request(program(), *a, *a, 0), nullptr).status, "cudaErrorIllegalAddress");
  EXPECT_NE(device->lost(), "");
  device.reset();
  EXPECT_EQ(gpu.alive(), "");
}

TEST(CudaFaults, AKernelThatNeverEndsIsLeftBehind) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.endless = true; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 4));
  auto out = device->allocate(ints("out", 4));
  ASSERT_TRUE(write(*device, *a, first));
  LaunchRequest request = add_request(program(), *a, *out, 4);
  request.limits.max_seconds = 0.05;
  const Clock::time_point began = Clock::now();
  const LaunchReport report = device->launch(request, nullptr);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(2));
  EXPECT_EQ(report.status, "cudaErrorLaunchTimeout");
  EXPECT_NE(say(report.message).find("0.05 s"), std::string::npos) << say(report.message);
  EXPECT_NE(say(report.message).find("Does every loop end?"), std::string::npos);
  // Beside the endless kernel the device goes on in a new context.
  gpu.on_launch = add_one;
  EXPECT_TRUE(device->launch(request, nullptr).ok());
  EXPECT_EQ(*read(*device, *out), sum);
  device.reset();
  gpu.end_endless();
  EXPECT_EQ(gpu.alive(), "");
  EXPECT_EQ(gpu.misuse(), "");
}

// Returning from main() would wait for the kernel for ever: seen on an H200.
TEST(CudaFaults, TheProcessEndsBesideAnEndlessKernel) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.endless = true; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  LaunchRequest request = add_request(program(), *a, *a, 0);
  request.limits.max_seconds = 0.05;
  EXPECT_EQ(device->launch(request, nullptr).status, "cudaErrorLaunchTimeout");
  EXPECT_EXIT((void)end_process(3), ::testing::ExitedWithCode(3), "");
  const int before = gpu.count("ctxDestroy");
  device.reset();  // nothing of the driver's is waited for: a thread destroys the newer context, too
  gpu.end_endless();
  EXPECT_EQ(gpu.alive(), "");
  EXPECT_EQ(gpu.count("ctxDestroy"), before + 2);
}

TEST(CudaFaults, CancelStopsTheWaitOfAnEndlessKernel) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.endless = true; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  LaunchRequest request = add_request(program(), *a, *a, 0);
  request.limits.max_seconds = 60;
  Job job;
  std::thread hand([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    job.cancelled = true;
  });
  const Clock::time_point began = Clock::now();
  const LaunchReport report = device->launch(request, &job);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(5));
  hand.join();
  EXPECT_EQ(report.status, "cancelled");
  EXPECT_EQ(gpu.count("ctxCreate"), 2);
  EXPECT_EQ(job.blocks_done, 0u);
}

TEST(CudaFaults, CancelLetsAShortKernelEndAndKeepsItsContext) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.polls = 50; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  Job job;
  job.cancelled = true;
  const LaunchReport report = device->launch(add_request(program(), *a, *a, 0), &job);
  EXPECT_EQ(report.status, "cancelled");
  EXPECT_EQ(gpu.count("ctxCreate"), 1);
}

TEST(CudaFaults, MeasuringAnEndlessKernelEndsToo) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.endless = true; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  std::vector<LaunchRequest> launches{add_request(program(), *a, *a, 0)};
  launches[0].limits.max_seconds = 0.05;
  const auto us = device->measure_us(launches, 3);
  ASSERT_FALSE(us);
  EXPECT_EQ(us.error().code, "cudaErrorLaunchTimeout");
  gpu.on_launch = add_one;
  EXPECT_TRUE(device->measure_us(launches, 3));
}

TEST(CudaFaults, AFaultInAFreeIsToldByTheNextCall) {
  ScriptedDriver gpu;
  gpu.on_launch = add_one;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 4));
  auto out = device->allocate(ints("out", 4));
  ASSERT_TRUE(write(*device, *a, first));
  ASSERT_TRUE(device->fill(*out, Scalar::of(0)));
  ASSERT_TRUE(device->launch(add_request(program(), *a, *out, 4), nullptr).ok());
  gpu.fail({.name = "memFree", .with = CUDA_ERROR_ILLEGAL_ADDRESS});
  device->release(*a);
  const auto told = read(*device, *out);  // the sum is gone: that must not look like a result
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, "cudaErrorIllegalAddress");
  EXPECT_EQ(*read(*device, *out), zeros);
}

TEST(CudaFaults, NewerPtxThanTheDriversIsExplained) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  gpu.fail({.name = "moduleLoadDataEx", .with = CUDA_ERROR_UNSUPPORTED_PTX_VERSION});
  const LaunchReport report = device->launch(add_request(program(), *a, *a, 0), nullptr);
  EXPECT_EQ(report.status, "cudaErrorUnsupportedPtxVersion");
  EXPECT_NE(say(report.message).find("knows CUDA 13.0"), std::string::npos) << say(report.message);
  EXPECT_EQ(gpu.count("ctxCreate"), 1);
}

}  // namespace
}  // namespace warpbook::gpu::testing
