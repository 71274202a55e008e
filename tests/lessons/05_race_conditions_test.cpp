// Lesson 05: the accounting on traces written by hand, then what the curriculum promises on the virtual GPU.
#include <gtest/gtest.h>

#include "tests/lessons/fake_device.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using gpu::AccessRecord;
using testing::FakeDevice;
using testing::LessonRun;
using testing::number;

/// A warp's access to c[0] by `lanes` lanes, all with the same value; an atomic's old values count up from it.
AccessRecord access(AccessRecord::Kind kind, std::uint32_t warp, std::uint64_t issued, std::uint64_t reached, std::int32_t value,
                    std::uint32_t lanes = 32) {
  AccessRecord record;
  record.kind = kind;
  record.buffer = 1;
  record.warp = warp;
  record.mask = lanes == 32 ? ~0U : (1U << lanes) - 1;
  record.issued = issued;
  record.reached = reached;
  record.done = reached + 10;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    record.value[lane] =
        static_cast<std::uint32_t>(value + (kind == AccessRecord::Kind::atomic ? static_cast<std::int32_t>(lane) : 0));
  }
  return record;
}
constexpr auto load = AccessRecord::Kind::load;
constexpr auto store = AccessRecord::Kind::store;
constexpr auto atomic = AccessRecord::Kind::atomic;

/// Runs the lesson on a device that answers with this trace and this final value.
Outcome play(std::vector<AccessRecord> trace, std::int32_t final_value, std::uint32_t threads) {
  FakeDevice device;
  device.on_launch = [&](const gpu::LaunchRequest& request, FakeDevice& self) {
    self.memory<std::int32_t>(request.arguments[0])[0] = final_value;
    gpu::LaunchReport report = testing::ok_report(request, 1.0);
    report.trace = trace;
    return report;
  };
  const Lesson& lesson = *find_lesson("05");
  Values values = Values::defaults(lesson.controls);
  values.set("threads", threads);
  values.set("blocks", 1);
  values.set("trials", 1);
  Host host(device, {.kernel_file = "race.cu", .kernel_text = "__global__ void count(int* c)", .defines = {}});
  Result<Outcome> outcome = lesson.run(host, values, nullptr);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
  return outcome ? std::move(*outcome) : Outcome{};
}

TEST(RaceAccounting, BothLoadFirstSoTheLastStoreCoversUpTheFirst) {
  const Outcome outcome =
      play({access(load, 0, 10, 100, 0), access(load, 1, 20, 110, 0), access(store, 0, 120, 200, 1), access(store, 1, 130, 210, 1)},
           1, 64);
  const auto& figure = testing::figure<Interleaving>(outcome);
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_EQ(figure.rows[0].kept, 0U);
  EXPECT_EQ(figure.rows[0].lost, 32U);
  EXPECT_EQ(figure.rows[1].kept, 1U);
  EXPECT_EQ(figure.rows[1].lost, 31U);
  EXPECT_EQ(figure.kept, 1U);
  EXPECT_EQ(figure.lost, 63U);
  EXPECT_EQ(figure.title, "Every warp loads before anything is stored");
  ASSERT_EQ(figure.values.size(), 3U);
  EXPECT_EQ(figure.values[1].from, 200U);
}

TEST(RaceAccounting, AWarpThatLoadsAfterAStoreBuildsOnIt) {
  // Warp 1 overlaps warp 0 and is covered up by it; warp 2 comes after both.
  const Outcome outcome = play({access(load, 0, 10, 100, 0), access(load, 1, 20, 105, 0), access(store, 1, 120, 200, 1),
                                access(store, 0, 130, 210, 1), access(load, 2, 220, 300, 1), access(store, 2, 310, 400, 2)},
                               2, 96);
  const auto& figure = testing::figure<Interleaving>(outcome);
  ASSERT_EQ(figure.rows.size(), 3U);
  EXPECT_EQ(figure.rows[0].kept, 1U);
  EXPECT_EQ(figure.rows[1].kept, 0U);
  EXPECT_EQ(figure.rows[2].kept, 1U);
  EXPECT_EQ(figure.kept, 2U);
  EXPECT_EQ(figure.lost, 94U);
  EXPECT_EQ(figure.title, "2 of 3 warps load before anything is stored");
}

TEST(RaceAccounting, WithinOneCycleTheValueReadDecides) {
  // Warp 1's load and warp 0's store reach memory in the same cycle; the load still saw 0.
  const Outcome outcome =
      play({access(load, 0, 10, 100, 0), access(store, 0, 120, 200, 1), access(load, 1, 20, 200, 0), access(store, 1, 210, 300, 1)},
           1, 64);
  EXPECT_EQ(testing::figure<Interleaving>(outcome).kept, 1U);
  // … and here it saw 1.
  const Outcome other =
      play({access(load, 0, 10, 100, 0), access(store, 0, 120, 200, 1), access(load, 1, 20, 200, 1), access(store, 1, 210, 300, 2)},
           2, 64);
  EXPECT_EQ(testing::figure<Interleaving>(other).kept, 2U);
}

TEST(RaceAccounting, AtomicsKeepEveryLane) {
  const Outcome outcome = play({access(atomic, 0, 10, 100, 0), access(atomic, 1, 20, 130, 32, 8)}, 40, 40);
  const auto& figure = testing::figure<Interleaving>(outcome);
  EXPECT_TRUE(figure.atomic);
  EXPECT_EQ(figure.kept, 40U);
  EXPECT_EQ(figure.lost, 0U);
  EXPECT_EQ(figure.rows[0].stored, 32);
  EXPECT_EQ(figure.rows[1].stored, 40);
  EXPECT_EQ(number(outcome, "lost"), 0);
}

TEST(RaceAccounting, ACancelledLaunchIsAnErrorAndAFailedOneAnOutcomeWithoutNumbers) {
  FakeDevice device;
  std::string status = "cancelled";
  device.on_launch = [&](const gpu::LaunchRequest& request, FakeDevice&) {
    gpu::LaunchReport report = testing::ok_report(request, 1.0);
    report.status = status;
    return report;
  };
  const Lesson& lesson = *find_lesson("05");
  Host host(device, {.kernel_file = "race.cu", .kernel_text = "__global__ void count(int* c)", .defines = {}});
  const Result<Outcome> cancelled = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, "cancelled");
  status = "cudaErrorLaunchTimeout";
  const Result<Outcome> failed = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->report.status, "cudaErrorLaunchTimeout");
  EXPECT_TRUE(failed->numbers.empty());
}

class RaceConditions : public LessonRun {
 protected:
  RaceConditions() : LessonRun("05") {}
};

TEST_F(RaceConditions, AtMostOneIncrementAWarpSurvives) {
  const Outcome outcome = run({{"trials", "20"}});
  EXPECT_EQ(number(outcome, "expected"), 4096);
  EXPECT_GE(number(outcome, "got"), 1);
  EXPECT_LE(number(outcome, "most"), 128) << "64 blocks of two warps";
  EXPECT_EQ(number(outcome, "lost"), 4096 - number(outcome, "got"));
  const auto& figure = testing::figure<Interleaving>(outcome);
  EXPECT_EQ(figure.rows.size(), 128U);
  EXPECT_EQ(figure.kept + figure.lost, 4096U);
  EXPECT_EQ(double(figure.kept), number(outcome, "got"));
  const auto& trials = testing::figure<Trials>(outcome);
  std::uint32_t counted = 0;
  for (const Trials::Bar& bar : trials.bars) counted += bar.count;
  EXPECT_EQ(counted, 20U);
  EXPECT_EQ(trials.one_a_warp, 128);
}

TEST_F(RaceConditions, TheRaceIsNamedWithItsLine) {
  const Outcome outcome = run({{"trials", "1"}});
  const auto findings = testing::findings(outcome, gpu::FindingKind::race);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(line(findings[0].at.line), "    c[0] += 1;");
  EXPECT_EQ(findings[0].buffer, "c");
}

TEST_F(RaceConditions, AtomicsCountAllInEveryTrialAndAreNoRace) {
  const Outcome outcome = run({{"atomic", "on"}, {"trials", "10"}});
  EXPECT_EQ(number(outcome, "got"), 4096);
  EXPECT_EQ(number(outcome, "least"), 4096);
  EXPECT_EQ(number(outcome, "lost"), 0);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found);
  const auto& clock = *testing::figure<SmTimeline>(outcome).runs.front().clock;
  std::uint64_t last = 0;
  for (const gpu::WarpLane& lane : clock.timeline.lanes) last = std::max(last, lane.spans.back().end);
  EXPECT_LT(last, clock.cycles) << "the warps are done before the memory is";
  EXPECT_NE(outcome.note.find("cycle " + std::to_string(last)), std::string::npos) << outcome.note;
  EXPECT_NE(outcome.note.find("cycle " + std::to_string(clock.cycles)), std::string::npos) << outcome.note;
  EXPECT_EQ(run({{"trials", "1"}}).note.find("queue"), std::string::npos) << "without atomics there is none";
  const auto& figure = testing::figure<Interleaving>(outcome);
  EXPECT_TRUE(figure.atomic);
  EXPECT_EQ(figure.kept, 4096U);
  EXPECT_EQ(figure.values.back().value, 4096);
}

TEST_F(RaceConditions, TheSeedDecidesTheInterleaving) {
  const auto moments = [&](const char* seed) {
    std::vector<std::uint64_t> all;
    const Outcome outcome = run({{"seed", seed}, {"trials", "1"}});
    for (const auto& row : testing::figure<Interleaving>(outcome).rows) {
      all.push_back(row.load_reached);
      all.push_back(row.store_reached);
    }
    return all;
  };
  EXPECT_EQ(moments("7"), moments("7"));
  EXPECT_NE(moments("7"), moments("8"));
}

TEST_F(RaceConditions, TrialsOfOneSeedAreAlwaysTheSame) {
  const auto bars = [&] {
    std::vector<std::pair<std::int64_t, std::uint32_t>> all;
    const Outcome outcome = run({{"threads", "1"}, {"blocks", "256"}, {"trials", "30"}});
    for (const Trials::Bar& bar : testing::figure<Trials>(outcome).bars) all.emplace_back(bar.value, bar.count);
    return all;
  };
  EXPECT_EQ(bars(), bars());
}

TEST_F(RaceConditions, BlocksThatStartLateBuildOnWhatHasLanded) {
  const Outcome outcome = run({{"threads", "1024"}, {"blocks", "256"}, {"trials", "1"}});
  EXPECT_GT(number(outcome, "got"), 1);
  EXPECT_EQ(double(testing::figure<Interleaving>(outcome).kept), number(outcome, "got"));
}

TEST_F(RaceConditions, OneWarpLosesAllButOneAndOneThreadNothing) {
  EXPECT_EQ(number(run({{"threads", "32"}, {"blocks", "1"}, {"trials", "5"}}), "got"), 1);
  EXPECT_EQ(number(run({{"threads", "1"}, {"blocks", "1"}, {"trials", "5"}}), "lost"), 0);
}

TEST_F(RaceConditions, StopsBetweenTrialsAndShowsHowFarItIs) {
  gpu::Job job;
  const Outcome outcome = run({{"trials", "3"}}, &job);
  EXPECT_EQ(job.blocks_total, 3U);
  EXPECT_EQ(job.blocks_done, 3U);
  job.cancelled = true;
  const Result<Outcome> cancelled = try_run({{"trials", "1000"}}, &job);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, "cancelled");
}

}  // namespace
}  // namespace warpbook::lessons
