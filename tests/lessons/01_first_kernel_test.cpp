// Lesson 01: what the curriculum promises, on the virtual GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lessons/fake_device.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;

class FirstKernel : public LessonRun {
 protected:
  FirstKernel() : LessonRun("01") {}
  /// With blocks of 128 threads, of which 32 are just enough; settings say otherwise.
  [[nodiscard]] Outcome run(testing::Settings settings) {
    settings.insert(settings.begin(), {"threads", "128"});
    return LessonRun::run(settings);
  }
};

/// All untouched elements lie in [first, 4096), and all of those are untouched.
void expect_only_the_last_untouched(const ThreadMap& map, std::size_t first) {
  ASSERT_EQ(map.written.size(), 4096U);
  for (std::size_t i = 0; i < 4096; ++i) ASSERT_EQ(map.written[i] == 0, i >= first) << i;
}

TEST_F(FirstKernel, TheDefaultsLeave896Elements) {
  const Outcome outcome = LessonRun::run({});
  EXPECT_EQ(number(outcome, "written"), 3200) << "32 blocks of 100 threads";
  EXPECT_EQ(number(outcome, "untouched"), 896);
  expect_only_the_last_untouched(testing::figure<ThreadMap>(outcome), 3200);
  EXPECT_EQ(number(LessonRun::run({{"blocks", "41"}}), "untouched"), 0);
}

TEST_F(FirstKernel, EveryElementOnceWith32BlocksOf128) {
  const Outcome outcome = run({});
  EXPECT_EQ(number(outcome, "written"), 4096);
  EXPECT_EQ(number(outcome, "untouched"), 0);
  EXPECT_EQ(number(outcome, "outside"), 0);
  EXPECT_EQ(number(outcome, "stale"), 0);
  EXPECT_EQ(number(outcome, "wrong"), 0);
  EXPECT_EQ(number(outcome, "threads_launched"), 4096);
  const auto& map = testing::figure<ThreadMap>(outcome);
  ASSERT_EQ(map.cells.size(), 4096U);
  const ThreadMap::Cell& cell = map.cells[17 * 128 + 42];
  EXPECT_EQ(cell.element, 2218);
  EXPECT_EQ(cell.left, 2218);
  EXPECT_EQ(cell.right, 1);
  EXPECT_EQ(cell.sum, 2219);
  EXPECT_TRUE(outcome.report.findings.empty());
}

TEST_F(FirstKernel, ThirtyOneBlocksLeaveExactlyTheLast128) {
  const Outcome outcome = run({{"blocks", "31"}});
  EXPECT_EQ(number(outcome, "written"), 3968);
  EXPECT_EQ(number(outcome, "untouched"), 128);
  expect_only_the_last_untouched(testing::figure<ThreadMap>(outcome), 3968);
  EXPECT_NE(outcome.note.find("3968 to 4095"), std::string::npos) << outcome.note;
}

TEST_F(FirstKernel, SixtyFourThreadsLeaveTheLast2048) {
  const Outcome outcome = run({{"threads", "64"}});
  EXPECT_EQ(number(outcome, "untouched"), 2048);
  expect_only_the_last_untouched(testing::figure<ThreadMap>(outcome), 2048);
}

TEST_F(FirstKernel, ThirtyThreeBlocksWithoutGuardSend128ThreadsOutside) {
  const Outcome outcome = run({{"blocks", "33"}, {"guard", "off"}});
  EXPECT_EQ(number(outcome, "outside"), 128);
  EXPECT_EQ(number(outcome, "first_outside_index"), 4096);
  EXPECT_EQ(number(outcome, "written"), 4096) << "the others did their work";
  const auto memory = testing::findings(outcome, gpu::FindingKind::memory);
  ASSERT_FALSE(memory.empty());
  for (const gpu::Finding& finding : memory) {
    EXPECT_EQ(line(finding.at.line), "    out[i] = a[i] + b[i];");
    EXPECT_EQ(finding.at.block.x, 32U);
    EXPECT_EQ(finding.at.thread.x, 0U);
  }
  EXPECT_TRUE(std::any_of(memory.begin(), memory.end(), [](const auto& f) { return f.buffer == "out" && f.threads == 128; }));
  const auto& map = testing::figure<ThreadMap>(outcome);
  EXPECT_TRUE(map.cells[32 * 128 + 5].outside);
  EXPECT_EQ(map.cells[32 * 128 + 5].element, 4096 + 5);
}

TEST_F(FirstKernel, TheGuardSendsThemHome) {
  const Outcome outcome = run({{"blocks", "33"}});
  EXPECT_EQ(number(outcome, "outside"), 0);
  EXPECT_EQ(number(outcome, "first_outside_index"), -1);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::memory], gpu::Observation::none_found);
  EXPECT_EQ(testing::figure<ThreadMap>(outcome).cells[32 * 128].element, -1);
}

TEST_F(FirstKernel, ReadingWithoutSynchroniseSeesOldValues) {
  const Outcome outcome = run({{"synchronise", "off"}});
  EXPECT_GT(number(outcome, "stale"), 0);
  EXPECT_EQ(number(outcome, "written"), 4096) << "the copy afterwards waits by itself";
}

TEST_F(FirstKernel, TheTimelineShowsTheLaunchReturnBeforeTheKernelEnds) {
  for (const char* synchronise : {"on", "off"}) {
    const Outcome outcome = run({{"synchronise", synchronise}});
    const auto& timeline = testing::figure<HostTimeline>(outcome);
    EXPECT_EQ(timeline.title, "The launch returns before the kernel ends");
    ASSERT_EQ(timeline.lanes.size(), 3U);
    const auto& host = timeline.lanes[0].spans;
    const auto& device = timeline.lanes[1].spans;
    const auto& seen = timeline.lanes[2].spans;
    EXPECT_EQ(host.front().begin, 0);
    EXPECT_LT(host.front().end, device.front().end);
    const auto waits =
        std::count_if(host.begin(), host.end(), [](const auto& s) { return s.kind == HostTimeline::Span::Kind::wait; });
    EXPECT_EQ(waits, 1) << "either the synchronise or the copy waits";
    EXPECT_GE(host.back().begin, device.front().end) << "the copy comes after the kernel";
    EXPECT_EQ(seen.front().kind, HostTimeline::Span::Kind::stale);
    EXPECT_EQ(seen.back().kind, HostTimeline::Span::Kind::fresh);
    EXPECT_EQ(seen.back().label, "4096 new values");
    for (const auto& lane : timeline.lanes) {
      for (std::size_t i = 0; i < lane.spans.size(); ++i) {
        EXPECT_LE(lane.spans[i].begin, lane.spans[i].end);
        if (i > 0) {
          EXPECT_LE(lane.spans[i - 1].end, lane.spans[i].begin + 1e-9);
        }
      }
    }
    EXPECT_LE(device.back().end, timeline.end);
  }
}

TEST_F(FirstKernel, TheSmallestAndTheLargestLaunch) {
  EXPECT_EQ(number(run({{"threads", "1"}, {"blocks", "1"}}), "written"), 1);
  EXPECT_EQ(number(run({{"threads", "1024"}, {"blocks", "256"}}), "written"), 4096);
  EXPECT_EQ(number(run({{"threads", "1024"}, {"blocks", "256"}, {"guard", "off"}}), "outside"), 1024 * 256 - 4096);
}

/// A GPU: it measures, keeps no trace, and its kernel has stored half of the sums when the host reads.
class MeasuringDevice {
 public:
  MeasuringDevice() {
    device.info_.is_model = false;
    device.on_launch = [](const gpu::LaunchRequest& request, testing::FakeDevice& gpu) {
      gpu::LaunchReport report = testing::ok_report(request, 0);
      report.model_us.reset();
      report.cycles.reset();
      report.times = gpu::LaunchTimes{.returned = 4, .begin = 6, .end = 56};
      const auto a = gpu.memory<std::int32_t>(request.arguments[0]), out = gpu.memory<std::int32_t>(request.arguments[2]);
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (i == out.size() / 2 && request.read_early) {
          const auto bytes = std::as_bytes(out);
          report.read_early.assign(bytes.begin(), bytes.end());
          report.times->read_begin = 5;
          report.times->read_end = 9;
        }
        out[i] = a[i] + 1;
      }
      return report;
    };
  }
  testing::FakeDevice device;
};

TEST(FirstKernelOnAGpu, TheTimelineIsMeasuredAndAnEarlyReadIsStale) {
  MeasuringDevice gpu;
  const Lesson& lesson = *find_lesson("01");
  for (const bool synchronise : {true, false}) {
    Host host(gpu.device, {.kernel_file = "add.cu", .kernel_text = "__global__ void add(int*, int*, int*, int) {}", .defines = {}});
    Values values = Values::defaults(lesson.controls);
    values.set("synchronise", synchronise ? 1 : 0);
    const auto outcome = lesson.run(host, values, nullptr);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(number(*outcome, "written"), 4096);
    EXPECT_EQ(number(*outcome, "stale"), synchronise ? 0 : 2048);
    const auto& timeline = testing::figure<HostTimeline>(*outcome);
    EXPECT_TRUE(timeline.measured);
    EXPECT_EQ(timeline.title, "The launch returns before the kernel ends");
    ASSERT_EQ(timeline.lanes.size(), 2U) << "what a read sees when is not observed";
    constexpr double rounding = 1e-6;  // they are differences from when the host began
    EXPECT_NEAR(timeline.lanes[1].spans[0].begin, 6, rounding);
    EXPECT_NEAR(timeline.lanes[1].spans[0].end, 56, rounding);
  }
}

}  // namespace
}  // namespace warpbook::lessons
