// Streams on a scripted driver: what is enqueued where and in which order, what is measured, and what becomes of faults.
#include "gpu/streams.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/cuda/scenario.h"

namespace warpbook::gpu::testing {
namespace {

using Kind = StreamOperation::Kind;
using Words = std::vector<std::string>;

/// Two arrays of four numbers with page-locked memory beside each, and a program that adds one.
struct Bench {
  ScriptedDriver gpu;
  std::unique_ptr<CudaDevice> device;
  Buffer a, out, h_a, h_out;
  ProgramPtr add = program();

  Bench() {
    gpu.on_launch = add_one;
    device = open(gpu);
    a = *device->allocate(ints("a", 4));
    out = *device->allocate(ints("out", 4));
    h_a = *device->allocate_mapped(ints("h_a", 4));
    h_out = *device->allocate_mapped(ints("h_out", 4));
    put(h_a, {1, 2, 3, 4});
    put(h_out, {0, 0, 0, 0});
  }
  void put(const Buffer& host, const std::vector<int>& values) const {
    std::memcpy(device->mapped(host).data(), values.data(), values.size() * sizeof(int));
  }
  [[nodiscard]] std::vector<int> seen(const Buffer& host) const { return numbers_in(device->mapped(host)); }

  [[nodiscard]] StreamOperation in(std::uint32_t stream) const {
    return {.kind = Kind::copy_to_device, .stream = stream, .device = a, .host = h_a};
  }
  [[nodiscard]] StreamOperation compute(std::uint32_t stream) const {
    return {.kind = Kind::launch, .stream = stream, .launch = add_request(add, a, out, 4)};
  }
  [[nodiscard]] StreamOperation back(std::uint32_t stream) const {
    return {.kind = Kind::copy_to_host, .stream = stream, .device = out, .host = h_out};
  }
  [[nodiscard]] static StreamOperation event(Kind kind, std::uint32_t stream, std::uint32_t number) {
    return {.kind = kind, .stream = stream, .event = number};
  }
  StreamReport perform(const std::vector<StreamOperation>& operations, Job* job = nullptr) const {
    return device->streams()->perform(operations, job);
  }
  void expect_clean() {
    device.reset();
    gpu.end_endless();
    EXPECT_EQ(gpu.misuse(), "");
    EXPECT_EQ(gpu.alive(), "");
  }
};

TEST(CudaStreams, EnqueuesEachOrderInItsStreamBetweenEvents) {
  Bench bench;
  bench.gpu.forget_calls();
  const StreamReport report = bench.perform({bench.in(1), bench.compute(1), bench.back(1)});
  ASSERT_FALSE(report.failed) << say(report.failed->message);
  EXPECT_EQ(bench.seen(bench.h_out), (std::vector<int>{2, 3, 4, 5}));
  // Events 0 and 1 are the context's own: the first one, and the last, for which all streams are waited.
  EXPECT_EQ(bench.gpu.enqueued(),
            (Words{"event 0, stream 0", "event 2, stream 1", "copy in, stream 1", "event 3, stream 1", "add, stream 1",
                   "event 4, stream 1", "copy out, stream 1", "event 5, stream 1", "event 1, stream 0"}));
  EXPECT_EQ(bench.gpu.count("memcpyHtoD") + bench.gpu.count("memcpyDtoH"), 0) << "no copy that the host waits in";
  EXPECT_EQ(bench.gpu.count("ctxSynchronize"), 0) << "nor any call that may not return";
  bench.expect_clean();
}

TEST(CudaStreams, AreMadeOnceAndUsedAgain) {
  Bench bench;
  for (int batch = 0; batch < 3; ++batch) {
    ASSERT_FALSE(bench.perform({bench.in(1), bench.compute(1), bench.back(1)}).failed);
    ASSERT_FALSE(bench.perform({bench.in(2), bench.compute(2), bench.back(2)}).failed);
  }
  EXPECT_EQ(bench.gpu.count("streamCreate"), 1 + 2);
  EXPECT_EQ(bench.gpu.count("eventCreate"), 2 + 6);
  for (const Buffer& buffer : {bench.a, bench.out, bench.h_a, bench.h_out}) bench.device->release(buffer);
  EXPECT_EQ(bench.gpu.held(), "");
  bench.expect_clean();
}

TEST(CudaStreams, MeasuresWhatGoesOnSideBySide) {
  Bench bench;
  bench.gpu.copy_ms = 10;
  bench.gpu.kernel_ms = 10;
  const StreamReport report =
      bench.perform({bench.in(1), bench.in(2), bench.compute(1), bench.compute(2), bench.back(1), bench.back(2)});
  ASSERT_FALSE(report.failed) << say(report.failed->message);
  ASSERT_EQ(report.spans.size(), 6U);
  // In the model of the scripted driver an engine takes any number of operations at once; the host's calls last no time to speak
  // of.
  const auto& kernel = report.spans[2];
  EXPECT_NEAR(kernel.end - kernel.begin, 10'000, 1);
  for (const StreamSpan& span : report.spans) {
    EXPECT_LE(span.called, span.returned);
    EXPECT_LE(span.called, span.begin);
    EXPECT_LE(span.begin, span.end);
  }
  EXPECT_DOUBLE_EQ(report.spans[0].called, 0);
  EXPECT_DOUBLE_EQ(report.spans[0].end, kernel.begin) << "of one stream, one after the other";
  EXPECT_NEAR(report.spans[5].end, report.spans[4].end, 1e-6) << "two streams side by side";
  // Both came to the copy at once; the engine does one at a time, so the second one is given no time of the first.
  EXPECT_DOUBLE_EQ(report.spans[1].begin, report.spans[0].end);
  bench.expect_clean();
}

TEST(CudaStreams, EventsOrderStreams) {
  Bench bench;
  bench.gpu.copy_ms = 10;
  bench.gpu.kernel_ms = 20;
  bench.gpu.forget_calls();
  const StreamReport report =
      bench.perform({bench.in(1), Bench::event(Kind::record_event, 1, 7), Bench::event(Kind::wait_event, 2, 7),
                     Bench::event(Kind::wait_event, 2, 99), bench.compute(2)});
  ASSERT_FALSE(report.failed);
  EXPECT_EQ(bench.gpu.enqueued(),
            (Words{"event 0, stream 0", "event 2, stream 1", "copy in, stream 1", "event 3, stream 1", "event 4, stream 1",
                   "wait for event 4, stream 2", "event 5, stream 2", "add, stream 2", "event 6, stream 2", "event 1, stream 0"}))
      << "event 99 was never recorded: nothing to wait for";
  EXPECT_DOUBLE_EQ(report.spans[1].begin, report.spans[0].end);
  EXPECT_DOUBLE_EQ(report.spans[1].end, report.spans[0].end);
  EXPECT_GE(report.spans[4].begin, report.spans[1].end);
  bench.expect_clean();
}

TEST(CudaStreams, TheDefaultStreamWaitsForAllAndAllForIt) {
  Bench bench;
  bench.gpu.copy_ms = bench.gpu.kernel_ms = 10;
  bench.gpu.forget_calls();
  const StreamReport report = bench.perform({bench.in(1), bench.compute(0), bench.back(1)});
  ASSERT_FALSE(report.failed);
  EXPECT_EQ(bench.gpu.enqueued(), (Words{"event 0, stream 0", "event 2, stream 1", "copy in, stream 1", "event 3, stream 1",
                                         "event 4, stream 0", "add, stream 0", "event 5, stream 0", "event 6, stream 1",
                                         "copy out, stream 1", "event 7, stream 1", "event 1, stream 0"}))
      << "after the default stream's work, the stream's own last event says nothing any more";
  EXPECT_GE(report.spans[1].begin, report.spans[0].end);
  EXPECT_GE(report.spans[2].begin, report.spans[1].end);
  bench.expect_clean();
}

TEST(CudaStreams, RefuseWhatCannotBeCopied) {
  Bench bench;
  const Buffer longer = *bench.device->allocate_mapped(ints("longer", 5));
  const auto refused = [&](const Buffer& device, const Buffer& host) {
    const StreamReport report =
        bench.perform({bench.in(1), {.kind = Kind::copy_to_device, .stream = 1, .device = device, .host = host}});
    EXPECT_TRUE(report.failed && is_sentence(say(report.failed->message)));
    EXPECT_TRUE(report.spans.empty());
    return report.failed ? report.failed->status + ": " + say(report.failed->message) : "";
  };
  EXPECT_EQ(refused(bench.a, longer), "cudaErrorInvalidValue: `a` holds 16 bytes and `longer` 20: they are copied as a whole.");
  EXPECT_NE(refused(bench.a, bench.out).find("`out` is not page-locked"), std::string::npos);
  bench.device->release(longer);
  EXPECT_NE(refused(bench.a, longer).find("released"), std::string::npos);
  EXPECT_EQ(bench.gpu.count("memcpyHtoDAsync"), 0) << "all or nothing";
  bench.expect_clean();
}

TEST(CudaStreams, LaunchesAreCheckedWhenTheyAreGiven) {
  Bench bench;
  StreamOperation operation = bench.compute(1);
  const LaunchReport taken = bench.device->streams()->check(operation.launch);
  EXPECT_TRUE(taken.ok() && taken.enqueued);
  EXPECT_EQ(taken.registers, 24);
  EXPECT_FALSE(taken.times);
  operation.launch.block = {2048};
  EXPECT_EQ(bench.device->streams()->check(operation.launch).status, "cudaErrorInvalidConfiguration");
  const StreamReport report = bench.perform({bench.in(1), operation});
  ASSERT_TRUE(report.failed);
  EXPECT_EQ(report.failed->status, "cudaErrorInvalidConfiguration");
  EXPECT_EQ(report.failed->kernel, "add");
  EXPECT_EQ(bench.gpu.count("launchKernel"), 0);
  EXPECT_TRUE(bench.perform({}).spans.empty());
  bench.expect_clean();
}

TEST(CudaStreams, ARefusedOrderIsToldWhenWhatWasGivenIsDone) {
  Bench bench;
  bench.gpu.fail({.name = "launchKernel", .with = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES});
  bench.gpu.forget_calls();
  const StreamReport report = bench.perform({bench.in(1), bench.compute(1), bench.back(1)});
  ASSERT_TRUE(report.failed);
  EXPECT_EQ(report.failed->status, "cudaErrorLaunchOutOfResources");
  EXPECT_NE(say(report.failed->message).find("32 threads with 24 registers"), std::string::npos) << say(report.failed->message);
  EXPECT_EQ(bench.gpu.enqueued().back(), "event 1, stream 0");
  EXPECT_EQ(bench.gpu.calls().back(), "eventQuery") << "the copy into the array is waited for";
  EXPECT_EQ(bench.gpu.count("memcpyDtoHAsync"), 0);
  EXPECT_EQ(bench.gpu.count("ctxCreate"), 0) << "the context is as good as before";
  EXPECT_FALSE(bench.perform({bench.in(1), bench.compute(1), bench.back(1)}).failed);
  bench.gpu.fail({.name = "memcpyHtoDAsync", .with = CUDA_ERROR_INVALID_VALUE});
  const StreamReport copy = bench.perform({bench.in(1)});
  ASSERT_TRUE(copy.failed);
  EXPECT_NE(say(copy.failed->message).find("The copy of `a`"), std::string::npos) << say(copy.failed->message);
  bench.expect_clean();
}

TEST(CudaStreams, AFaultIsNamedAndArraysComeBack) {
  Bench bench;
  bench.gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  const StreamReport report = bench.perform({bench.in(1), bench.compute(1), bench.compute(2), bench.back(2)});
  ASSERT_TRUE(report.failed);
  EXPECT_EQ(report.failed->status, "cudaErrorIllegalAddress");
  EXPECT_EQ(report.failed->kernel, "add");
  EXPECT_TRUE(is_sentence(say(report.failed->message))) << say(report.failed->message);
  EXPECT_NE(say(report.failed->message).find("A thread of `add`"), std::string::npos) << say(report.failed->message);
  EXPECT_NE(say(report.failed->message).find("one of 2 launches"), std::string::npos) << say(report.failed->message);
  EXPECT_NE(say(report.failed->message).find("set up anew"), std::string::npos) << say(report.failed->message);
  EXPECT_EQ(*read(*bench.device, bench.a), (std::vector<int>{1, 2, 3, 4})) << "as the copy in the stream put it";
  EXPECT_EQ(bench.seen(bench.h_a), (std::vector<int>{1, 2, 3, 4}));
  bench.gpu.on_launch = add_one;
  EXPECT_FALSE(bench.perform({bench.in(1), bench.compute(1), bench.back(1)}).failed);
  EXPECT_EQ(bench.seen(bench.h_out), (std::vector<int>{2, 3, 4, 5}));
  bench.expect_clean();
}

// An earlier kernel's fault may be the answer to any later call.
TEST(CudaStreams, AFaultMetWhileOrdersAreGivenIsAFaultToo) {
  Bench bench;
  bench.gpu.fail({.name = "memcpyDtoHAsync", .with = CUDA_ERROR_ILLEGAL_ADDRESS});
  const StreamReport report = bench.perform({bench.in(1), bench.compute(1), bench.back(1)});
  ASSERT_TRUE(report.failed);
  EXPECT_NE(say(report.failed->message).find("A thread of `add`"), std::string::npos) << say(report.failed->message);
  EXPECT_EQ(bench.gpu.count("ctxCreate"), 2);
  bench.expect_clean();
}

TEST(CudaStreams, WhatAnEarlierOrderHasYetToWriteIsNotPromised) {
  Bench bench;
  bench.gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  const StreamOperation out_into_a{.kind = Kind::copy_to_host, .stream = 1, .device = bench.out, .host = bench.h_a};
  const StreamReport report = bench.perform({out_into_a, bench.in(1), bench.compute(1)});
  ASSERT_TRUE(report.failed);
  EXPECT_NE(say(report.failed->message).find("so lost: a."), std::string::npos) << say(report.failed->message);
  bench.expect_clean();
}

TEST(CudaStreams, WithoutANewContextTheDeviceIsLost) {
  Bench bench;
  bench.gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  bench.gpu.fail({.name = "ctxCreate", .with = CUDA_ERROR_ILLEGAL_ADDRESS, .always = true});
  const StreamReport report = bench.perform({bench.compute(1)});
  ASSERT_TRUE(report.failed);
  EXPECT_NE(say(report.failed->message).find(bench.device->lost()), std::string::npos);
  EXPECT_NE(bench.device->lost(), "");
  EXPECT_EQ(say(bench.perform({bench.compute(1)}).failed->message), bench.device->lost());
  EXPECT_EQ(say(bench.device->streams()->check(bench.compute(1).launch).message), bench.device->lost());
  bench.expect_clean();
}

TEST(CudaStreams, AKernelThatNeverEndsIsLeftBehindWithWhatWaitsForIt) {
  Bench bench;
  int launches = 0;
  bench.gpu.on_launch = [&](ScriptedDriver::Launch& launch) { launch.endless = launches++ == 0; };
  std::vector<StreamOperation> operations{bench.in(1), bench.compute(1), bench.back(1), bench.compute(2)};
  for (StreamOperation& operation : operations) operation.launch.limits.max_seconds = 0.05;
  operations[0].kind = Kind::launch;  // the first one waited for, so that its limit counts
  operations[0].launch = operations[1].launch;
  const StreamReport report = bench.perform(operations);
  ASSERT_TRUE(report.failed);
  EXPECT_EQ(report.failed->status, "cudaErrorLaunchTimeout");
  EXPECT_NE(say(report.failed->message).find("The work in streams had not ended after 0.05 s."), std::string::npos)
      << say(report.failed->message);
  bench.gpu.on_launch = add_one;
  EXPECT_TRUE(bench.device->launch(bench.compute(1).launch, nullptr).ok()) << "in a new context, beside the old one";
  const StreamReport beside = bench.perform({bench.in(1), bench.compute(1), bench.back(1)});
  ASSERT_TRUE(beside.failed) << "its copies need page-locked memory";
  EXPECT_EQ(beside.failed->status, "cudaErrorMemoryAllocation");
  EXPECT_EQ(bench.seen(bench.h_a), (std::vector<int>{1, 2, 3, 4})) << "the host has it all the same";
  bench.gpu.end_endless();
  ASSERT_TRUE(wait_for_kernels_left_behind());
  EXPECT_FALSE(bench.perform({bench.in(1), bench.compute(1), bench.back(1)}).failed);
  EXPECT_EQ(bench.seen(bench.h_out), (std::vector<int>{2, 3, 4, 5}));
  bench.expect_clean();
}

TEST(CudaStreams, CancelStopsTheWait) {
  Bench bench;
  bench.gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.endless = true; };
  Job job;
  std::thread hand([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    job.cancelled = true;
  });
  const StreamReport report = bench.perform({bench.compute(1), bench.compute(2)}, &job);
  hand.join();
  ASSERT_TRUE(report.failed);
  EXPECT_EQ(report.failed->status, "cancelled");
  EXPECT_EQ(job.blocks_done, 0U);
  EXPECT_EQ(job.blocks_total, 2U);
  EXPECT_EQ(bench.gpu.count("ctxCreate"), 2);
  bench.expect_clean();
}

TEST(CudaStreams, CancelLetsShortWorkEndAndKeepsTheContext) {
  Bench bench;
  bench.gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.polls = 50; };
  Job job;
  job.cancelled = true;
  const StreamReport report = bench.perform({bench.compute(1)}, &job);
  ASSERT_TRUE(report.failed);
  EXPECT_EQ(report.failed->status, "cancelled");
  EXPECT_EQ(bench.gpu.count("ctxCreate"), 1);
  bench.expect_clean();
}

TEST(CudaStreams, WhatKernelsPrintIsCaptured) {
  Bench bench;
  bench.add = program(true);
  bench.gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.out = "hello\n"; };
  const StreamReport report = bench.perform({bench.compute(1)});
  ASSERT_FALSE(report.failed);
  EXPECT_EQ(report.output, "hello\n");
  bench.expect_clean();
}

/// Every driver call of two batches fails in turn.
class EveryCallOfStreams : public ::testing::TestWithParam<CUresult> {};

TEST_P(EveryCallOfStreams, FailsOnceAndTheNextBatchIsRight) {
  int calls = 0;
  const auto batch = [](const Bench& bench) {
    return bench.perform({bench.in(1), Bench::event(Kind::record_event, 1, 1), Bench::event(Kind::wait_event, 2, 1),
                          bench.compute(2), bench.back(2), bench.compute(0)});
  };
  {
    Bench bench;
    bench.gpu.forget_calls();
    ASSERT_FALSE(batch(bench).failed);
    calls = static_cast<int>(bench.gpu.calls().size());
  }
  ASSERT_GT(calls, 30);
  for (int n = 0; n < calls; ++n) {
    Bench bench;
    bench.gpu.fail({.call = n, .with = GetParam()});
    const StreamReport report = batch(bench);
    SCOPED_TRACE("call " + std::to_string(n) + ": " + bench.gpu.failed_call());
    ASSERT_TRUE(report.failed);
    EXPECT_TRUE(is_sentence(say(report.failed->message))) << say(report.failed->message);
    EXPECT_NE(report.failed->status, "ok");
    EXPECT_TRUE(report.spans.empty());
    ASSERT_EQ(bench.device->lost(), "");
    EXPECT_EQ(bench.seen(bench.h_a), (std::vector<int>{1, 2, 3, 4})) << "the host's memory outlives the context";
    ASSERT_TRUE(wait_for_kernels_left_behind());  // where nothing told the end of what had been given
    const StreamReport again = batch(bench);
    ASSERT_FALSE(again.failed) << say(again.failed->message);
    EXPECT_EQ(bench.seen(bench.h_out), (std::vector<int>{2, 3, 4, 5}));
    for (const Buffer& buffer : {bench.a, bench.out, bench.h_a, bench.h_out}) bench.device->release(buffer);
    EXPECT_EQ(bench.gpu.held(), "");
    bench.expect_clean();
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Results, EveryCallOfStreams,
                         ::testing::Values(CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN, CUDA_ERROR_ILLEGAL_ADDRESS),
                         [](const auto& parameter) { return cuda_name(parameter.param); });

}  // namespace
}  // namespace warpbook::gpu::testing
