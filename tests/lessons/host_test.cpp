// Host: the record of calls and the model clock beside it, on a device that a test scripts.
#include "lessons/host.h"

#include <gtest/gtest.h>

#include "tests/lessons/fake_device.h"

namespace warpbook::lessons {
namespace {

using testing::FakeDevice;
using testing::ok_report;
using Kind = HostCall::Kind;

Host::Setup setup(std::string text = "__global__ void k(int* p) {}") {
  return {.kernel_file = "k.cu", .kernel_text = std::move(text), .defines = {}};
}

TEST(Host, ALaunchReturnsWhileTheKernelGoesOnAndACopyWaitsForIt) {
  FakeDevice device;
  device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) { return ok_report(request, 50.0); };
  Host host(device, setup());
  auto buffer = host.allocate({"out", gpu::ScalarType::int32, {4096}});
  ASSERT_TRUE(buffer);
  const double before = host.now();
  ASSERT_TRUE(host.launch("k", {1}, {32}, {*buffer}));
  const HostCall launch = host.calls().back();
  ASSERT_EQ(launch.kind, Kind::launch);
  EXPECT_DOUBLE_EQ(launch.begin, before);
  EXPECT_LT(launch.end, launch.device_begin) << "the command is written before the device has it";
  EXPECT_DOUBLE_EQ(launch.device_begin, before + device.info_.launch_overhead_us);
  EXPECT_DOUBLE_EQ(launch.device_end, launch.device_begin + 50.0);
  EXPECT_DOUBLE_EQ(host.now(), launch.end);

  ASSERT_TRUE(host.copy_to_host<std::int32_t>(*buffer));
  const HostCall copy = host.calls().back();
  EXPECT_LT(copy.wait_begin, launch.device_end);
  EXPECT_DOUBLE_EQ(copy.device_begin, launch.device_end) << "it waits without being asked";
  EXPECT_GT(copy.device_end - copy.device_begin, 4096 * 4 / 10e3) << "16 KB at 10 GB/s, and the set-up";
  EXPECT_DOUBLE_EQ(host.now(), copy.end);
}

TEST(Host, SynchronizeWaitsAndAReadOfMappedMemoryDoesNot) {
  FakeDevice device;
  device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) { return ok_report(request, 50.0); };
  Host host(device, setup());
  auto buffer = host.allocate({"out", gpu::ScalarType::int32, {4096}});
  ASSERT_TRUE(host.launch("k", {1}, {32}, {*buffer}));
  const HostCall launch = host.calls().back();
  host.read_mapped(*buffer);
  EXPECT_DOUBLE_EQ(host.calls().back().begin, launch.end);
  EXPECT_LT(host.calls().back().end, launch.device_end);
  host.synchronize();
  EXPECT_DOUBLE_EQ(host.calls().back().end, launch.device_end);
  const double now = host.now();
  host.synchronize();
  EXPECT_LT(host.now() - now, 1.0) << "nothing is left to wait for";
}

TEST(Host, ALaunchIsAllowedAsLongAsItsOptionsSay) {
  FakeDevice device;
  double allowed = 0;
  device.on_launch = [&](const gpu::LaunchRequest& request, FakeDevice&) {
    allowed = request.limits.max_seconds;
    return ok_report(request, 50.0);
  };
  Host host(device, setup());
  auto buffer = host.allocate({"out", gpu::ScalarType::int32, {1}});
  ASSERT_TRUE(host.launch("k", {1}, {32}, {*buffer}));
  EXPECT_EQ(allowed, gpu::Limits{}.max_seconds);
  LaunchOptions options;
  options.max_seconds = 0.5;
  ASSERT_TRUE(host.launch("k", {1}, {32}, {*buffer}, options));
  EXPECT_EQ(allowed, 0.5);
}

TEST(Host, LaunchesQueueUpBehindEachOther) {
  FakeDevice device;
  device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) { return ok_report(request, 50.0); };
  Host host(device, setup());
  ASSERT_TRUE(host.launch("k", {1}, {32}, {}));
  const HostCall first = host.calls().back();
  ASSERT_TRUE(host.launch("k", {1}, {32}, {}));
  EXPECT_DOUBLE_EQ(host.calls().back().device_begin, first.device_end);
  EXPECT_LT(host.calls().back().end, first.device_end);
}

/// In, compute, out: two arrays of 40,000 bytes, each in a stream of its own.
struct TwoStreams {
  FakeDevice device;
  std::vector<HostCall> calls;
  double total = 0;
  explicit TwoStreams(HostMemory memory, int copy_engines = 2) {
    device.info_.copy_engines = copy_engines;
    device.info_.pcie_pageable_gb_per_s = 5;
    device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice& gpu) {
      for (float& x : gpu.memory<float>(request.arguments[0])) x *= 2;
      return ok_report(request, 50.0);
    };
    Host host(device, setup());
    for (const float value : {1.0f, 3.0f}) {
      const std::vector<float> values(10000, value);
      const Stream stream = host.new_stream();
      const HostArray x = host.host_array("h_x", std::span<const float>(values), memory);
      auto d_x = host.allocate({"x", gpu::ScalarType::float32, {10000}});
      EXPECT_TRUE(d_x && host.copy_async(*d_x, x, stream) &&
                  host.launch("k", {1}, {32}, {*d_x}, {.observe = {}, .seed = {}, .stream = stream}) &&
                  host.copy_async(x, *d_x, stream));
      arrays.push_back(x);
    }
    host.synchronize();
    calls = host.calls();
    total = host.now();
    for (const HostArray& x : arrays) result.push_back(host.read<float>(x)[9999]);
  }
  [[nodiscard]] HostCall of(Kind kind, std::uint32_t stream) const {
    for (const HostCall& call : calls) {
      if (call.kind == kind && call.stream == stream) return call;
    }
    ADD_FAILURE();
    return {};
  }
  std::vector<HostArray> arrays;
  std::vector<float> result;
};

TEST(Host, PinnedCopiesGoOnBesideTheKernelOfAnotherStream) {
  const TwoStreams run(HostMemory::pinned);
  EXPECT_EQ(run.result, (std::vector<float>{2, 6}));
  const HostCall kernel = run.of(Kind::launch, 1), in = run.of(Kind::copy_to_device, 2), next = run.of(Kind::launch, 2);
  EXPECT_LT(run.of(Kind::copy_to_device, 1).end, run.of(Kind::copy_to_device, 1).device_end) << "the call has returned before";
  EXPECT_LT(in.device_begin, kernel.device_end) << "the second copy beside the first kernel";
  EXPECT_GE(next.device_begin, kernel.device_end) << "kernels one after the other";
  EXPECT_GE(next.device_begin, in.device_end);
  EXPECT_LT(run.of(Kind::copy_to_host, 1).device_begin, next.device_end) << "the first result comes while the second is computed";
}

TEST(Host, FromPageableMemoryEachCopyIsWaitedFor) {
  const TwoStreams pinned(HostMemory::pinned), pageable(HostMemory::pageable);
  EXPECT_EQ(pageable.result, pinned.result);
  for (const Kind kind : {Kind::copy_to_device, Kind::copy_to_host}) {
    const HostCall copy = pageable.of(kind, 1);
    EXPECT_DOUBLE_EQ(copy.end, copy.device_end);
    EXPECT_NEAR(copy.device_end - copy.device_begin, 40'000 / 5e3, 3) << "5 GB/s, and the set-up";
  }
  EXPECT_GE(pageable.of(Kind::copy_to_device, 2).begin, pageable.of(Kind::copy_to_host, 1).end) << "nothing overlaps";
  EXPECT_GT(pageable.total, pinned.total);
}

TEST(Host, WithOneCopyEngineTheDirectionsTakeTurns) {
  const TwoStreams run(HostMemory::pinned, 1);
  const HostCall out = run.of(Kind::copy_to_host, 1), in = run.of(Kind::copy_to_device, 2);
  EXPECT_TRUE(out.device_begin >= in.device_end || in.device_begin >= out.device_end);
}

TEST(Host, EventsMeasureAndOrderStreams) {
  FakeDevice device;
  device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) { return ok_report(request, 50.0); };
  Host host(device, setup());
  const Stream a = host.new_stream(), b = host.new_stream();
  const Event before = host.record(a);
  ASSERT_TRUE(host.launch("k", {1}, {32}, {}, {.observe = {}, .seed = {}, .stream = a}));
  const Event after = host.record(a);
  const HostCall kernel = [&] {
    for (const HostCall& call : host.calls())
      if (call.kind == Kind::launch) return call;
    return HostCall{};
  }();
  EXPECT_GE(host.elapsed(before, after), 50.0);
  EXPECT_LT(host.elapsed(before, after), 60.0) << "the launch's overhead at most beside the kernel";
  host.wait(b, after);
  ASSERT_TRUE(host.launch("k", {1}, {32}, {}, {.observe = {}, .seed = {}, .stream = b}));
  EXPECT_GE(host.calls().back().device_begin, kernel.device_end);
  EXPECT_LT(host.now(), kernel.device_end) << "the host waited for nothing";
  host.synchronize(after);
  EXPECT_DOUBLE_EQ(host.now(), kernel.device_end);
  host.synchronize(b);
  EXPECT_GE(host.now(), kernel.device_end + 50);
}

TEST(Host, ArraysOfDifferentSizesAreNotCopied) {
  FakeDevice device;
  Host host(device, setup());
  auto x = host.allocate({"x", gpu::ScalarType::float32, {8}});
  const std::vector<float> seven(7);
  const auto copied = host.copy_async(*x, host.host_array("h", std::span<const float>(seven), HostMemory::pinned));
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, "cudaErrorInvalidValue");
  EXPECT_NE(copied.error().message.find("32 bytes and `h` has 28"), std::string::npos) << copied.error().message;
}

TEST(Host, WithoutAModelTheWallClockIsTheKernelsTime) {
  FakeDevice device;
  device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) {
    gpu::LaunchReport report = ok_report(request, 0);
    report.model_us.reset();
    report.run_ms = 0.25;
    return report;
  };
  Host host(device, setup());
  ASSERT_TRUE(host.launch("k", {1}, {32}, {}));
  EXPECT_DOUBLE_EQ(host.calls().back().device_end - host.calls().back().device_begin, 250.0);
}

gpu::LaunchReport measured_report(const gpu::LaunchRequest& request) {
  gpu::LaunchReport report = ok_report(request, 0);
  report.model_us.reset();
  report.cycles.reset();
  report.times = gpu::LaunchTimes{.returned = 4, .begin = 6, .end = 56};
  if (request.read_early) {
    report.times->read_begin = 5;
    report.times->read_end = 9;
    report.read_early.resize(request.read_early->array.bytes());
  }
  return report;
}

TEST(Host, OnAGpuTheTimesAreMeasured) {
  FakeDevice device;
  device.info_.is_model = false;
  device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) { return measured_report(request); };
  Host host(device, setup());
  auto buffer = host.mapped_zeros<std::int32_t>("out", {4096});
  ASSERT_TRUE(buffer);
  const double before = host.now();
  EXPECT_GT(before, 0) << "allocating and filling took some time";
  ASSERT_TRUE(host.launch("k", {1}, {32}, {*buffer}, {.observe = {}, .seed = {}, .read_early = *buffer}));
  const HostCall launch = host.calls().back();
  EXPECT_DOUBLE_EQ(launch.end, before + 4);
  EXPECT_DOUBLE_EQ(launch.device_begin, before + 6);
  EXPECT_DOUBLE_EQ(launch.device_end, before + 56);
  host.read_mapped(*buffer);
  EXPECT_DOUBLE_EQ(host.calls().back().begin, before + 5) << "read while the kernel ran, not now";
  EXPECT_DOUBLE_EQ(host.calls().back().end, before + 9);
  host.synchronize();
  EXPECT_DOUBLE_EQ(host.now(), before + 56);
  ASSERT_TRUE(host.copy_to_host<std::int32_t>(*buffer));
  const HostCall copy = host.calls().back();
  EXPECT_DOUBLE_EQ(copy.device_begin, before + 56);
  EXPECT_GT(copy.end, copy.device_begin);
  const double now = host.now();
  host.read_mapped(*buffer);  // of a launch that has long ended
  EXPECT_GE(host.calls().back().begin, now);
}

TEST(Host, RecordsArgumentsAsAHostProgramWritesThem) {
  FakeDevice device;
  Host host(device, setup());
  auto buffer = host.zeros<float>("field", {8, 8});
  ASSERT_TRUE(buffer);
  EXPECT_EQ(host.calls()[0].kind, Kind::allocate);
  EXPECT_EQ(host.calls()[1].kind, Kind::fill);
  EXPECT_EQ(host.calls()[1].arguments, std::vector<std::string>{"0.0f"});
  ASSERT_TRUE(host.launch("k", {2, 3}, {8, 8},
                          {*buffer, gpu::Scalar::of(std::int32_t{-7}), gpu::Scalar::of(0.25F), gpu::Scalar::of(std::uint32_t{7}),
                           gpu::Scalar::of(2.0), gpu::Scalar::of(std::int64_t{5})},
                          {.dynamic_shared_bytes = 40, .observe = {}, .seed = {}}));
  const HostCall& call = host.calls().back();
  EXPECT_EQ(call.arguments, (std::vector<std::string>{"field", "-7", "0.25f", "7u", "2.0", "5LL"}));
  EXPECT_EQ(call.grid, (gpu::Dim3{2, 3}));
  EXPECT_EQ(call.dynamic_shared_bytes, 40U);
}

TEST(Host, CompilesAgainOnlyWhenADefineChanges) {
  FakeDevice device;
  Host host(device, setup());
  host.define("GUARD", "1");
  ASSERT_TRUE(host.launch("k", {1}, {1}, {}));
  host.define("GUARD", "1");
  ASSERT_TRUE(host.launch("k", {1}, {1}, {}));
  EXPECT_EQ(device.compiles, 1);
  host.define("GUARD", "0");
  ASSERT_TRUE(host.launch("k", {1}, {1}, {}));
  EXPECT_EQ(device.compiles, 2);
  EXPECT_EQ(device.launches.back().program->source.defines.front(), (std::pair<std::string, std::string>("GUARD", "0")));
}

TEST(Host, ACompileFailureIsASentenceWithItsLine) {
  FakeDevice device;
  Host host(device, setup("#error"));
  const auto report = host.launch("k", {1}, {1}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "compile_error");
  EXPECT_EQ(report.error().message, "k.cu(3): as the test asked");
  ASSERT_TRUE(host.failure_of_compile());
  EXPECT_EQ(host.failure_of_compile()->diagnostics.size(), 1U);
}

TEST(Host, ARenamedKernelIsMissedByName) {
  FakeDevice device;
  Host host(device, setup("__global__ void plus(int* p) {}"));
  const auto report = host.launch("add", {1}, {1}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "missing_kernel");
  EXPECT_NE(report.error().message.find("plus"), std::string::npos);
}

TEST(Host, WhatIsDoneAsideIsNoPartOfTheProgram) {
  FakeDevice device;
  Host host(device, setup());
  auto buffer = host.zeros<std::int32_t>("counter", {1});
  const double now = host.now();
  const std::size_t calls = host.calls().size();
  {
    const Host::Unrecorded unrecorded(host);
    ASSERT_TRUE(host.launch("k", {1}, {1}, {*buffer}));
    {
      const Host::Unrecorded deeper(host);
      ASSERT_TRUE(host.copy_to_host<std::int32_t>(*buffer));
    }
    host.synchronize();
  }
  EXPECT_EQ(device.launches.size(), 1U);
  EXPECT_EQ(host.calls().size(), calls);
  EXPECT_DOUBLE_EQ(host.now(), now);
  host.synchronize();
  EXPECT_EQ(host.calls().size(), calls + 1);
}

TEST(Host, GivesItsBuffersBackAndKeepsABoundedRecord) {
  FakeDevice device;
  {
    Host host(device, setup());
    auto buffer = host.zeros<std::int32_t>("counter", {1});
    ASSERT_TRUE(buffer);
    for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(host.refill(*buffer, gpu::Scalar::of(std::int32_t{0})));
    EXPECT_EQ(host.calls().size(), 4096U);
    EXPECT_EQ(device.live_buffers(), 1U);
  }
  EXPECT_EQ(device.live_buffers(), 0U);
}

}  // namespace
}  // namespace warpbook::lessons
