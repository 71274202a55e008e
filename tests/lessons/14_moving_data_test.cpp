// Lesson 14: the model's times against rates and rules written down here, the results against a loop in float64, and the answers
// of its exercises against the clock of streams and engines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "lessons/14_moving_data/program.h"
#include "lessons/exercise.h"
#include "lessons/host_clock.h"
#include "lessons/host_code.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;

// The T4's, which tests run on: measured rates of its link (Jia et al. and public bandwidthTest logs), and its data sheet.
constexpr double pageable = 6.1e3, pinned = 12.2e3, memory = 320e3;  // bytes a µs
constexpr double one_copy = 4 * 65536.0;

class MovingData : public LessonRun {
 protected:
  MovingData() : LessonRun("14") {}

  [[nodiscard]] static const HostTimeline& timeline(const Outcome& outcome) { return testing::figure<HostTimeline>(outcome); }
  [[nodiscard]] static const BreakEven& chart(const Outcome& outcome) { return testing::figure<BreakEven>(outcome); }
  [[nodiscard]] static std::vector<std::string> lanes(const Outcome& outcome) {
    std::vector<std::string> names;
    for (const auto& lane : timeline(outcome).lanes) names.push_back(lane.label);
    return names;
  }
};

TEST_F(MovingData, OneStepOfEachValueTakesLessThanItsCopies) {
  const Outcome outcome = run({});
  EXPECT_EQ(number(outcome, "wrong"), 0);
  for (const char* copies : {"in_us", "out_us"}) {
    EXPECT_GT(number(outcome, copies), one_copy / pageable);
    EXPECT_LT(number(outcome, copies), one_copy / pageable + 5) << "and a little for starting it";
  }
  EXPECT_GT(number(outcome, "kernel_us"), 2 * one_copy / memory) << "it reads and writes each value once";
  EXPECT_LT(number(outcome, "kernel_us"), 5);
  const double parts = number(outcome, "in_us") + number(outcome, "kernel_us") + number(outcome, "out_us");
  EXPECT_GT(number(outcome, "total_us"), parts);
  EXPECT_LT(number(outcome, "total_us"), parts + 10);
  EXPECT_GT(number(outcome, "copy_share"), 90);
  EXPECT_EQ(number(outcome, "together"), 0);
  EXPECT_EQ(lanes(outcome), (std::vector<std::string>{"Host", "Copies in", "Kernels", "Copies out"}));
  EXPECT_TRUE(outcome.report.findings.empty());
}

TEST_F(MovingData, TheChartIsTheSameProgramAndThenAStraightLine) {
  const Outcome outcome = run({});
  const BreakEven& c = chart(outcome);
  ASSERT_EQ(c.points.size(), 19U);
  EXPECT_TRUE(c.points.front().cpu_measured);
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    const auto& point = c.points[i];
    EXPECT_EQ(point.n, std::exp2(8.0 + double(i)));
    EXPECT_EQ(point.executed, i <= 9) << "up to 131,072 values";
    const double copies = 2 * 4 * point.n / pageable;
    EXPECT_GT(point.gpu_us, copies);
    EXPECT_LT(point.gpu_us, 1.05 * copies + 15);
    EXPECT_GE(point.kernel_us, 2 * 4 * point.n / memory) << point.n;
    EXPECT_LT(point.kernel_us, point.gpu_us);
    EXPECT_GT(point.cpu_us, 0);
    if (!point.cpu_measured) {
      EXPECT_DOUBLE_EQ(point.cpu_us, 2 * c.points[i - 1].cpu_us);
    }
  }
  EXPECT_DOUBLE_EQ(c.points[8].gpu_us, number(outcome, "total_us")) << "65,536 values, run a second time";
  EXPECT_DOUBLE_EQ(c.points[8].cpu_us, number(outcome, "cpu_us"));
}

TEST_F(MovingData, TheBreakEvenIsWhereTheGpuStaysFaster) {
  for (const char* steps : {"1", "64"}) {
    const Outcome outcome = run({{"steps", steps}, {"n", "4096"}});
    const BreakEven& c = chart(outcome);
    const auto faster = [](const auto& point) { return point.gpu_us < point.cpu_us; };
    EXPECT_TRUE(std::all_of(c.points.begin() + static_cast<std::ptrdiff_t>(c.from), c.points.end(), faster));
    EXPECT_TRUE(c.from == 0 || !faster(c.points[c.from - 1]));
    EXPECT_EQ(number(outcome, "break_even"), c.from < c.points.size() ? c.points[c.from].n : 0);
    EXPECT_EQ(number(outcome, "wrong"), 0);
  }
  // 64 steps are 128 operations a value. No core makes them in the 1.4 ns that its copies take.
  const Outcome much = run({{"steps", "64"}, {"n", "256"}});
  EXPECT_GT(number(much, "break_even"), 0);
  EXPECT_GT(chart(much).points[10].gpu_us, chart(much).points[10].kernel_us);
}

TEST_F(MovingData, PinnedMemoryIsTwiceAsFastAndTheHostGoesOn) {
  const Outcome outcome = run({{"memory", "pinned"}});
  EXPECT_NEAR(number(outcome, "in_us"), one_copy / pinned, 5);
  EXPECT_NEAR(number(outcome, "out_us"), one_copy / pinned, 5);
  const auto& host = timeline(outcome).lanes.at(0).spans;
  ASSERT_EQ(host.size(), 4U) << "two copies and a launch that return at once; then it waits";
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(host[i].end - host[i].begin, 5);
  EXPECT_EQ(host[3].kind, HostTimeline::Span::Kind::wait);
  const Outcome held = run({});
  for (const auto& span : timeline(held).lanes.at(0).spans) {
    if (span.label == "in x") {
      EXPECT_GT(span.end - span.begin, one_copy / pageable) << "pageable: the host is held up";
    }
  }
}

TEST_F(MovingData, WhatStaysOnTheDeviceIsCopiedOnceForAllLaunches) {
  const Outcome each = run({{"launches", "4"}, {"memory", "pinned"}});
  const Outcome kept = run({{"launches", "4"}, {"memory", "pinned"}, {"kept", "on"}});
  EXPECT_NEAR(number(each, "in_us"), 4 * number(kept, "in_us"), 1e-6);
  EXPECT_NEAR(number(each, "out_us"), 4 * number(kept, "out_us"), 1e-6);
  EXPECT_NEAR(number(each, "kernel_us"), number(kept, "kernel_us"), 0.01);
  EXPECT_LT(number(kept, "total_us"), number(each, "total_us") / 2);
  for (const Outcome* outcome : {&each, &kept}) EXPECT_EQ(number(*outcome, "wrong"), 0) << "four steps of each value, both";
}

TEST_F(MovingData, ChunksInStreamsGoSideBySideOnlyFromPinnedMemory) {
  const auto in_four = [&](const char* memory_kind, const char* streams) {
    return run({{"memory", memory_kind}, {"chunks", "4"}, {"streams", streams}});
  };
  const double whole = number(run({{"memory", "pinned"}}), "total_us");
  const Outcome four = in_four("pinned", "4");
  EXPECT_EQ(number(four, "wrong"), 0);
  EXPECT_GT(number(four, "together"), 50);
  EXPECT_LT(number(four, "total_us"), 0.85 * whole);
  // Copies in follow each other; after the last of them come one kernel and one copy out.
  const double copy = number(four, "in_us") / 4, kernel = number(four, "kernel_us") / 4;
  EXPECT_NEAR(number(four, "total_us"), device().info().launch_overhead_us + 5 * copy + kernel, 0.5);
  EXPECT_LT(number(in_four("pinned", "2"), "total_us"), whole);

  const Outcome one_stream = in_four("pinned", "1"), slow = in_four("pageable", "4");
  EXPECT_EQ(number(one_stream, "together"), 0);
  EXPECT_GT(number(one_stream, "total_us"), whole) << "more calls, and nothing side by side";
  EXPECT_EQ(number(slow, "together"), 0);
  EXPECT_GT(number(slow, "total_us"), number(run({}), "total_us"));
  const char* many[] = {"8", "4"};
  EXPECT_GT(number(run({{"n", "2048"}, {"memory", "pinned"}, {"chunks", many[0]}, {"streams", many[1]}}), "total_us"),
            number(run({{"n", "2048"}, {"memory", "pinned"}}), "total_us"))
      << "chunks of 256 values: starting a copy takes longer than the copy";
}

TEST_F(MovingData, TheOrderOfTheCallsMattersWithOneCopyEngine) {
  gpu::Compiler compiler;
  const auto laptop = gpu::make_virtual_device(compiler, "GTX 850M");
  ASSERT_TRUE(laptop);
  const auto in_order = [&](const char* order) {
    Host host(**laptop, {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}, .job = nullptr});
    auto outcome = lesson().run(host, values({{"memory", "pinned"}, {"chunks", "4"}, {"streams", "4"}, {"order", order}}), nullptr);
    EXPECT_TRUE(outcome);
    return std::move(*outcome);
  };
  const Outcome chunks = in_order("chunks"), kinds = in_order("kinds");
  EXPECT_EQ(lanes(chunks), (std::vector<std::string>{"Host", "Copies", "Kernels"}));
  EXPECT_EQ(number(chunks, "together"), 0);
  EXPECT_GT(number(kinds, "together"), 0);
  EXPECT_LT(number(kinds, "total_us"), number(chunks, "total_us"));
  EXPECT_EQ(number(kinds, "wrong"), 0);
  const auto two = [&](const char* order) {
    return number(run({{"memory", "pinned"}, {"chunks", "4"}, {"streams", "4"}, {"order", order}}), "total_us");
  };
  EXPECT_LT(two("chunks"), two("kinds")) << "with two engines a copy out may begin early";
}

TEST_F(MovingData, AnEditedKernelIsJudged) {
  std::string edited = kernel();
  edited.replace(edited.find("+ 0.25f"), 7, "+ 0.5f ");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = edited, .defines = {}, .job = nullptr});
  const auto outcome = lesson().run(host, values({{"n", "1024"}}), nullptr);
  ASSERT_TRUE(outcome);
  EXPECT_GT(number(*outcome, "wrong"), 1000);
  EXPECT_NE(outcome->note.find("wrong"), std::string::npos) << outcome->note;
}

TEST_F(MovingData, TheHostProgramHasTheMemoryAndTheStreamsOfTheRun) {
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}, .job = nullptr});
  ASSERT_TRUE(lesson().run(host, values({{"n", "256"}, {"memory", "pinned"}, {"chunks", "2"}, {"streams", "2"}}), nullptr));
  const auto cuda = host_code(kernel(), host.defines(), host.calls());
  ASSERT_TRUE(cuda);
  EXPECT_TRUE(cuda->inputs.empty()) << "they count up";
  for (const char* words :
       {"cudaMallocHost(&h_x0, 128 * sizeof(float))", "cudaMemcpyAsync(x1, h_x1", "relax<<<1, 256, 0, stream_2>>>"})
    EXPECT_NE(cuda->text.find(words), std::string::npos) << words << "\n" << cuda->text;
  const auto numba = numba_code(*numba_text(lesson()), host.defines(), host.calls());
  ASSERT_TRUE(numba) << numba.error().message;
  EXPECT_NE(numba->text.find("cuda.pinned_array"), std::string::npos) << numba->text;
}

TEST(MovingDataTimes, AreCountedFromTheRecord) {
  const auto call = [](HostCall::Kind kind, double begin, double end) {
    HostCall made;
    made.kind = kind;
    made.begin = begin;
    made.end = begin + 1;
    made.device_begin = begin;
    made.device_end = end;
    return made;
  };
  std::vector<HostCall> calls{call(HostCall::Kind::copy_to_device, 2, 12), call(HostCall::Kind::launch, 12, 20),
                              call(HostCall::Kind::copy_to_device, 12, 22), call(HostCall::Kind::copy_to_host, 20, 30)};
  calls.push_back(call(HostCall::Kind::synchronize, 5, 5));
  calls.back().end = 30;
  const moving::Times times = moving::times_of(calls);
  EXPECT_EQ(times.total, 28);
  EXPECT_EQ(times.in, 20);
  EXPECT_EQ(times.kernel, 8);
  EXPECT_EQ(times.out, 10);
  EXPECT_EQ(times.copying, 28);
  EXPECT_EQ(times.together, 10) << "12 to 20 with the kernel, 20 to 22 both copies";
}

// ---- exercises ------------------------------------------------------------------------------------------------------------------

using Engine = HostClock::Engine;

/// Three chunks of 10 µs a piece.
struct Case {
  int engines = 2;
  bool streams = true, by_kind = false, pageable = false, kernels_in_default = false;
  double kernel_us = 10;
};

double ends_at(const Case& with) {
  HostClock clock(with.engines);
  std::vector<std::uint32_t> streams(3, 0);
  const std::uint32_t only = clock.new_stream();
  for (auto& stream : streams) stream = with.streams ? clock.new_stream() : only;
  const std::function<void(int, std::uint32_t)> make = [&](int kind, std::uint32_t stream) {
    const auto engine = kind == 0 ? Engine::to_device : kind == 1 ? Engine::kernels : Engine::to_host;
    const bool lost = kind == 1 && with.kernels_in_default;
    const double end = clock.work(lost ? 0 : stream, engine, clock.now, kind == 1 ? with.kernel_us : 10).end;
    if (kind != 1 && with.pageable) clock.now = end;
  };
  if (with.by_kind) {
    for (const int kind : {0, 1, 2})
      for (const auto stream : streams) make(kind, stream);
  } else {
    for (const auto stream : streams)
      for (const int kind : {0, 1, 2}) make(kind, stream);
  }
  return clock.all_done();
}

TEST(MovingDataExercises, TheQuizAboutOrderAgreesWithTheClock) {
  const auto found = find_exercise("overlap");
  ASSERT_TRUE(found);
  const auto& questions = (*found)->questions;
  ASSERT_EQ(questions.size(), 6U);
  EXPECT_EQ(std::stod(questions[0].answer), ends_at({.streams = false}));
  EXPECT_EQ(std::stod(questions[1].answer), ends_at({}));
  EXPECT_EQ(std::stod(questions[2].answer), ends_at({.kernel_us = 20}));
  EXPECT_EQ(std::stod(questions[3].answer), ends_at({.pageable = true}));
  EXPECT_EQ(questions[4].answer, "b");
  EXPECT_LT(ends_at({.engines = 1, .by_kind = true}), ends_at({.engines = 1}));
  EXPECT_EQ(questions[5].answer, "b");
  EXPECT_GT(ends_at({.kernels_in_default = true}), ends_at({}));
}

TEST(MovingDataExercises, EachMarkedLineHoldsUpTheOthers) {
  EXPECT_GT(ends_at({.pageable = true}), ends_at({})) << "malloc";
  EXPECT_GT(ends_at({.kernels_in_default = true}), ends_at({})) << "a launch without a stream";
  EXPECT_EQ(ends_at({.streams = false}), 90) << "a wait after each chunk: what one stream does";
}

}  // namespace
}  // namespace warpbook::lessons
