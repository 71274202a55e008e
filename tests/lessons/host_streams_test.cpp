// Host on a device with streams of its own: what is given to it together, when, and that the calls get the measured times.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/streams.h"
#include "lessons/15_timing/watches.h"
#include "lessons/host.h"
#include "lessons/run.h"
#include "tests/lessons/fake_device.h"

namespace warpbook::lessons {
namespace {

using testing::FakeDevice;
using testing::ok_report;
using Kind = HostCall::Kind;
using OperationKind = gpu::StreamOperation::Kind;

/// Copies take 10 µs and kernels 50, each stream for itself; the host's calls begin every 2 µs and take 1. Work is really done, in
/// the order of the calls.
class FakeStreams final : public gpu::Streams {
 public:
  explicit FakeStreams(FakeDevice& device) : device_(device) {}

  [[nodiscard]] gpu::LaunchReport check(const gpu::LaunchRequest& request) override {
    gpu::LaunchReport report = ok_report(request, 0);
    report.model_us.reset();
    report.enqueued = true;
    report.registers = 12;
    if (request.block.x > 1024) report.status = "cudaErrorInvalidConfiguration";
    return report;
  }
  [[nodiscard]] gpu::StreamReport perform(std::span<const gpu::StreamOperation> operations, gpu::Job*) override {
    batches.emplace_back(operations.begin(), operations.end());
    gpu::StreamReport report;
    report.output = output;
    if (!fails.empty()) {
      report.failed = ok_report(operations.back().launch, 0);
      report.failed->status = std::exchange(fails, "");
      report.failed->message = as_it_is("A thread of `k` touched memory that belongs to no array.");
      return report;
    }
    std::map<std::uint32_t, double> free;
    for (const gpu::StreamOperation& operation : operations) {
      const double called = 2 * static_cast<double>(report.spans.size());
      double& time = free[operation.stream];
      const bool works = operation.kind != OperationKind::record_event && operation.kind != OperationKind::wait_event;
      const double begin = std::max(time, called);
      if (works) time = begin + (operation.kind == OperationKind::launch ? 50 : 10);
      report.spans.push_back({called, called + 1, works ? begin : time, time});
      if (operation.kind == OperationKind::launch && device_.on_launch) (void)device_.on_launch(operation.launch, device_);
      if (operation.kind == OperationKind::copy_to_device) copy(operation.device, operation.host);
      if (operation.kind == OperationKind::copy_to_host) copy(operation.host, operation.device);
    }
    return report;
  }

  std::vector<std::vector<gpu::StreamOperation>> batches;
  std::string fails, output;  // the next batch's status; what kernels print

 private:
  void copy(const gpu::Buffer& to, const gpu::Buffer& from) {
    const auto bytes = device_.memory<std::byte>(from), into = device_.memory<std::byte>(to);
    std::copy(bytes.begin(), bytes.end(), into.begin());
  }
  FakeDevice& device_;
};

struct Gpu {
  FakeDevice device;
  FakeStreams streams{device};
  Gpu() {
    device.info_.is_model = false;
    device.info_.copy_engines = 3;
    device.streams_ = &streams;
    device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice& gpu) {
      if (!request.arguments.empty())
        for (float& x : gpu.memory<float>(request.arguments[0])) x *= 2;
      gpu::LaunchReport report = ok_report(request, 0);
      report.model_us.reset();
      report.times = gpu::LaunchTimes{.returned = 4, .begin = 6, .end = 56};
      return report;
    };
  }
};

Host::Setup setup_for_streams() { return {.kernel_file = "k.cu", .kernel_text = "__global__ void k(float* x) {}", .defines = {}}; }

LaunchOptions in(Stream stream) { return {.observe = {}, .seed = {}, .stream = stream}; }

/// Two chunks, each in a stream of its own.
struct Chunks {
  std::vector<HostArray> host;
  std::vector<gpu::Buffer> device;
  std::vector<Stream> streams;
  Chunks(Host& program, HostMemory memory) {
    for (const float value : {1.0f, 3.0f}) {
      streams.push_back(program.new_stream());
      host.push_back(program.host_array("h_x", std::span<const float>(std::vector<float>(100, value)), memory));
      device.push_back(*program.allocate({"x", gpu::ScalarType::float32, {100}}));
    }
  }
  void make(Host& program) const {
    for (const std::size_t c : {0U, 1U}) {
      ASSERT_TRUE(program.copy_async(device[c], host[c], streams[c]));
      const auto report = program.launch("k", {1}, {32}, {device[c]}, in(streams[c]));
      ASSERT_TRUE(report && report->ok());
      EXPECT_TRUE(report->enqueued);
      EXPECT_EQ(report->registers, 12);
      ASSERT_TRUE(program.copy_async(host[c], device[c], streams[c]));
    }
  }
};

TEST(HostStreams, AreGivenTogetherWhenTheHostWaits) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  chunks.make(host);
  EXPECT_TRUE(gpu.streams.batches.empty()) << "the host has not waited";
  host.synchronize();
  ASSERT_EQ(gpu.streams.batches.size(), 1U);
  const auto& operations = gpu.streams.batches[0];
  ASSERT_EQ(operations.size(), 6U);
  for (const std::size_t first : {0U, 3U}) {
    EXPECT_EQ(operations[first].kind, OperationKind::copy_to_device);
    EXPECT_EQ(operations[first + 1].kind, OperationKind::launch);
    EXPECT_EQ(operations[first + 2].kind, OperationKind::copy_to_host);
    EXPECT_EQ(operations[first].stream, first / 3 + 1);
    EXPECT_EQ(operations[first].device.id, chunks.device[first / 3].id);
    EXPECT_EQ(operations[first].host.id, operations[first + 2].host.id);
  }
  EXPECT_TRUE(gpu.device.launches.empty()) << "nothing is launched by itself";
  EXPECT_FLOAT_EQ(host.read<float>(chunks.host[0])[99], 2);
  EXPECT_FLOAT_EQ(host.read<float>(chunks.host[1])[99], 6);
  EXPECT_EQ(gpu.streams.batches.size(), 1U);
}

TEST(HostStreams, CallsGetTheMeasuredTimes) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  const double zero = host.now();
  const std::size_t first = host.calls().size();
  chunks.make(host);
  host.synchronize();
  const std::vector<HostCall> calls(host.calls().begin() + static_cast<std::ptrdiff_t>(first), host.calls().end());
  ASSERT_EQ(calls.size(), 7U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(calls[i].begin, zero + 2 * static_cast<double>(i));
    EXPECT_DOUBLE_EQ(calls[i].end, calls[i].begin + 1);
    EXPECT_DOUBLE_EQ(calls[i].wait_begin, calls[i].end);
  }
  EXPECT_DOUBLE_EQ(calls[0].device_begin, zero);
  EXPECT_DOUBLE_EQ(calls[1].device_begin, zero + 10);
  EXPECT_DOUBLE_EQ(calls[1].device_end, zero + 60);
  EXPECT_DOUBLE_EQ(calls[4].device_begin, zero + 16) << "beside the other stream's kernel";
  EXPECT_DOUBLE_EQ(calls[5].device_end, zero + 76);
  EXPECT_EQ(calls[6].kind, Kind::synchronize);
  EXPECT_DOUBLE_EQ(calls[6].begin, zero + 11) << "when the last call had returned";
  EXPECT_DOUBLE_EQ(calls[6].end, zero + 76);
  EXPECT_DOUBLE_EQ(host.now(), zero + 76);
}

TEST(HostStreams, ASecondBatchBeginsAfterTheFirst) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  const double zero = host.now();
  chunks.make(host);
  host.synchronize(chunks.streams[0]);
  EXPECT_DOUBLE_EQ(host.now(), zero + 70) << "the other stream is not waited for";
  ASSERT_TRUE(host.launch("k", {1}, {32}, {chunks.device[0]}, in(chunks.streams[0])));
  EXPECT_DOUBLE_EQ(host.calls().back().begin, zero + 70);
  EXPECT_DOUBLE_EQ(host.calls().back().device_begin, zero + 76);
  // A launch by itself in the default stream, and copies behind it.
  ASSERT_TRUE(host.launch("k", {1}, {32}, {chunks.device[0]}));
  const double end = host.calls().back().device_end;
  EXPECT_EQ(gpu.device.launches.size(), 1U);
  ASSERT_TRUE(host.copy_async(chunks.host[0], chunks.device[0]));
  ASSERT_TRUE(host.launch("k", {1}, {32}, {chunks.device[0]}));
  EXPECT_EQ(gpu.device.launches.size(), 1U) << "the second one joins the copy before it";
  EXPECT_DOUBLE_EQ(host.calls()[host.calls().size() - 2].device_begin, end);
}

TEST(HostStreams, EventsAreMeasuredAndGivenInOrder) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  const Event before = host.record(chunks.streams[0]);
  ASSERT_TRUE(host.launch("k", {1}, {32}, {chunks.device[0]}, in(chunks.streams[0])));
  const Event after = host.record(chunks.streams[0]);
  host.wait(chunks.streams[1], after);
  EXPECT_TRUE(gpu.streams.batches.empty());
  EXPECT_DOUBLE_EQ(host.elapsed(before, after), 52);
  ASSERT_EQ(gpu.streams.batches.size(), 1U);
  const auto& operations = gpu.streams.batches[0];
  ASSERT_EQ(operations.size(), 4U);
  EXPECT_EQ(operations[0].kind, OperationKind::record_event);
  EXPECT_EQ(operations[2].event, after.id);
  EXPECT_EQ(operations[3].kind, OperationKind::wait_event);
  EXPECT_EQ(operations[3].event, after.id);
  EXPECT_EQ(operations[3].stream, 2U);
  host.synchronize(after);
  EXPECT_GE(host.calls().back().end, host.calls()[host.calls().size() - 4].device_end);
}

TEST(HostStreams, PageableMemoryIsCopiedAtOnce) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pageable);
  ASSERT_TRUE(host.copy_async(chunks.device[0], chunks.host[0], chunks.streams[0]));
  EXPECT_DOUBLE_EQ(host.calls().back().end, host.calls().back().device_end);
  ASSERT_TRUE(host.launch("k", {1}, {32}, {chunks.device[0]}, in(chunks.streams[0])));
  EXPECT_TRUE(gpu.streams.batches.empty());
  ASSERT_TRUE(host.copy_async(chunks.host[0], chunks.device[0], chunks.streams[0]));
  EXPECT_EQ(gpu.streams.batches.size(), 1U) << "the kernel comes first";
  EXPECT_FLOAT_EQ(host.read<float>(chunks.host[0])[0], 2);
}

TEST(HostStreams, WhateverElseNeedsTheDeviceComesAfterThem) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  const std::vector<std::pair<const char*, std::function<void()>>> others = {
      {"copy_to_host", [&] { EXPECT_TRUE(host.copy_to_host<float>(chunks.device[0])); }},
      {"refill", [&] { EXPECT_TRUE(host.refill(chunks.device[0], gpu::Scalar::of(0.0f))); }},
      {"zeros", [&] { EXPECT_TRUE(host.zeros<float>("z", {1})); }},
      {"new_stream", [&] { (void)host.new_stream(); }},
      {"read", [&] { (void)host.read<float>(chunks.host[0]); }},
      {"calls", [&] { (void)host.calls(); }},
      {"now", [&] { (void)host.now(); }},
      {"bare_device", [&] { (void)host.bare_device(); }},
      {"aside", [&] { const Host::Unrecorded unrecorded(host); }},
      {"release", [&] { host.release(chunks.device[1]); }},
  };
  std::size_t batches = 0;
  for (const auto& [name, call] : others) {
    ASSERT_TRUE(host.launch("k", {1}, {32}, {chunks.device[0]}, in(chunks.streams[0])));
    EXPECT_EQ(gpu.streams.batches.size(), batches);
    call();
    EXPECT_EQ(gpu.streams.batches.size(), ++batches) << name;
  }
}

TEST(HostStreams, AFaultIsToldOnceByWhoeverCan) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  EXPECT_FALSE(host.failed_in_stream());
  gpu.streams.fails = "cudaErrorIllegalAddress";
  chunks.make(host);
  host.synchronize();
  const auto copied = host.copy_to_host<float>(chunks.device[0]);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, "cudaErrorIllegalAddress");
  EXPECT_TRUE(host.copy_to_host<float>(chunks.device[0])) << "told once";
  ASSERT_TRUE(host.failed_in_stream());
  EXPECT_EQ(host.failed_in_stream()->status, "cudaErrorIllegalAddress");

  gpu.streams.fails = "cudaErrorIllegalAddress";
  chunks.make(host);
  host.synchronize();
  const auto next = host.launch("k", {1}, {32}, {chunks.device[0]}, in(chunks.streams[0]));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->status, "cudaErrorIllegalAddress") << "as a launch tells it";
}

TEST(HostStreams, ALessonThatDoesNotAskIsToldAllTheSame) {
  Gpu gpu;
  Lesson lesson;
  lesson.run = [](Host& host, const Values&, gpu::Job*) -> Result<Outcome> {
    const Chunks chunks(host, HostMemory::pinned);
    chunks.make(host);
    host.synchronize();
    Outcome outcome;
    outcome.note = "all is well";
    return outcome;
  };
  for (const char* status : {"", "cudaErrorIllegalAddress"}) {
    Host host(gpu.device, setup_for_streams());
    gpu.streams.fails = status;
    const auto outcome = run_lesson(lesson, host, Values{}, nullptr);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->report.status, *status != 0 ? status : "ok");
    EXPECT_EQ(outcome->note, *status != 0 ? "" : "all is well");
  }
  Host host(gpu.device, setup_for_streams());
  gpu.streams.fails = "cancelled";
  const auto outcome = run_lesson(lesson, host, Values{}, nullptr);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "cancelled");
}

TEST(HostStreams, ARefusedLaunchIsToldAtOnce) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  const auto report = host.launch("k", {1}, {2048}, {chunks.device[0]}, in(chunks.streams[0]));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->status, "cudaErrorInvalidConfiguration");
  host.synchronize();
  EXPECT_TRUE(gpu.streams.batches.empty());
}

TEST(HostStreams, PageLockedMemoryIsGivenBack) {
  Gpu gpu;
  {
    Host host(gpu.device, setup_for_streams());
    for (int i = 0; i < 3; ++i) {
      const HostArray array = host.host_array("h", std::span<const float>(std::vector<float>(10)), HostMemory::pinned);
      EXPECT_EQ(gpu.device.live_buffers(), 1U) << "an array that nobody has any more has gone";
    }
    const Chunks chunks(host, HostMemory::pinned);
    chunks.make(host);
  }
  EXPECT_EQ(gpu.device.live_buffers(), 0U);
  EXPECT_EQ(gpu.streams.batches.size(), 1U) << "what was given is done, also where nobody waits";
}

TEST(HostStreams, ALongProgramIsGivenInPieces) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const Chunks chunks(host, HostMemory::pinned);
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(host.copy_async(chunks.device[0], chunks.host[0], chunks.streams[0]));
  EXPECT_EQ(gpu.streams.batches.size(), 2U);
  host.synchronize();
  ASSERT_EQ(gpu.streams.batches.size(), 3U);
  EXPECT_EQ(gpu.streams.batches[0].size(), 256U);
}

TEST(HostStreams, WatchesShowWhatWasMeasuredInTheDefaultStream) {
  Gpu gpu;
  Host host(gpu.device, setup_for_streams());
  const auto x = host.allocate({"x", gpu::ScalarType::float32, {100}});
  ASSERT_TRUE(x);
  host.set_waiting(Waiting::block);
  const std::size_t first = host.calls().size();
  const Event start = host.record();
  host.read_clock("before");
  const auto report = host.launch("k", {1}, {32}, {*x});
  ASSERT_TRUE(report && report->ok());
  host.read_clock("launched");
  const Event stop = host.record();
  host.synchronize();
  host.read_clock("waited");
  ASSERT_EQ(gpu.streams.batches.size(), 1U) << "readings of the clock give nothing to the device";
  EXPECT_EQ(gpu.streams.batches[0].size(), 3U);
  const double events = host.elapsed(start, stop);
  const auto watches = timing::readings_of(std::span(host.calls()).subspan(first), {.blocks = true, .events_us = events});
  EXPECT_DOUBLE_EQ(events, 52) << "the first event is reached at once, and the launch is called 2 µs later";
  EXPECT_DOUBLE_EQ(watches.kernel_us, 50);
  EXPECT_DOUBLE_EQ(watches.no_wait.reading, 1);
  EXPECT_DOUBLE_EQ(watches.waiting.reading, 50) << "how long a blocked host takes to wake up is not measured";
  EXPECT_NEAR(watches.cpu.reading, 3 + lookup_us, 1e-9) << "two calls, and what lies between them";
}

}  // namespace
}  // namespace warpbook::lessons
