// Timelines, occupancy and memory maps of a watched launch: from reports written by hand, then as lessons fill them.
#include "lessons/clock_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <set>

#include "tests/lessons/fake_device.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using gpu::AccessRecord;
using gpu::WarpState;
using testing::LessonRun;

gpu::LaunchReport timed_report() {
  gpu::LaunchReport report;
  report.clock = gpu::ClockReport{};
  report.clock->cycles = 40;
  report.clock->warp_cycles[static_cast<std::size_t>(WarpState::issued)] = 10;
  report.clock->warp_cycles[static_cast<std::size_t>(WarpState::memory)] = 30;
  gpu::WarpLane lane;
  lane.spans = {{0, 10, WarpState::issued, 3, 0}, {10, 40, WarpState::memory, 4, 0}};
  report.clock->timeline.lanes.push_back(lane);
  report.clock->timeline.end = 40;
  return report;
}

TEST(Inside, ARunTakesTheSpansAndLeavesTheSums) {
  gpu::LaunchReport report = timed_report();
  ASSERT_TRUE(has_timeline(report));
  const SmTimeline::Run run = take_run(report, "as it is");
  EXPECT_EQ(run.label, "as it is");
  EXPECT_EQ(run.clock->timeline.lanes.size(), 1U);
  EXPECT_EQ(run.clock->cycles, 40U);
  EXPECT_FALSE(has_timeline(report));
  ASSERT_TRUE(report.clock);
  EXPECT_EQ(report.clock->cycles, 40U);
  EXPECT_FALSE(has_timeline(gpu::LaunchReport{}));
}

TEST(Inside, TheTitleNamesWhatTookLongest) {
  EXPECT_EQ(title_of(main_wait(*timed_report().clock)), "Warps spend 75 % of their time waiting for global memory");
  EXPECT_EQ(title_of(main_wait(gpu::ClockReport{})), "What every warp did, cycle by cycle");
}

TEST(Inside, AMemoryMapKeepsWhatIsWantedInTheOrderOfIssue) {
  gpu::LaunchReport report;
  const auto add = [&](std::uint32_t buffer, std::uint32_t block, std::uint64_t issued, bool shared = false) {
    AccessRecord record;
    record.buffer = buffer;
    record.shared = shared;
    record.block = block;
    record.issued = issued;
    record.mask = 1;
    report.trace.push_back(record);
  };
  add(5, 1, 30);
  add(5, 0, 20);
  add(6, 1, 10);  // no array of this map
  add(0, 1, 5, true);
  const gpu::Buffer x{5, {"x", gpu::ScalarType::float64, {10, 20}}};
  const MemoryMap map = memory_map(report, std::span(&x, 1), [](const AccessRecord& record) { return record.block == 1; });
  ASSERT_EQ(map.requests->size(), 2U);
  EXPECT_TRUE(map.requests->front().shared);
  EXPECT_EQ(map.requests->back().issued, 30U);
  ASSERT_EQ(map.arrays.size(), 2U);
  EXPECT_EQ(map.arrays[0].buffer, 0U);
  EXPECT_EQ(map.arrays[1].name, "x");
  EXPECT_EQ(map.arrays[1].element_bytes, 8U);
  EXPECT_EQ(map.arrays[1].shape.size(), 2U);
}

class InsideDiffusion : public LessonRun {
 protected:
  InsideDiffusion() : LessonRun("06") {}
};

/// Sectors that a request of 4-byte elements touches, counted by hand.
std::size_t sectors(const AccessRecord& record) {
  std::set<std::int32_t> touched;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((record.mask >> lane & 1) != 0) touched.insert(record.index[lane] / 8);
  }
  return touched.size();
}

TEST_F(InsideDiffusion, ATileLoadsAWarpsRowsAndItsRim) {
  const Outcome outcome = run({{"side", "64"}, {"tile", "8"}, {"steps", "1"}});
  const auto& map = testing::figure<MemoryMap>(outcome);
  ASSERT_EQ(map.arrays.size(), 4U);
  EXPECT_EQ(map.arrays[1].name, "in");
  EXPECT_EQ(map.arrays[1].shape, (std::vector<std::size_t>{48, 48}));
  ASSERT_FALSE(map.requests->empty());
  // Every cell of the tile is loaded once by its own thread, in rows of 8 cells: a sector each.
  std::size_t whole_warps = 0;
  std::set<std::int32_t> stored;
  for (const AccessRecord& record : *map.requests) {
    EXPECT_EQ(record.block, map.requests->front().block);
    if (!record.shared && record.kind == AccessRecord::Kind::load && record.mask == ~0U) {
      ++whole_warps;
      EXPECT_EQ(sectors(record), 4U);
    }
    if (!record.shared && record.kind == AccessRecord::Kind::store && record.buffer == map.arrays[2].buffer) {
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((record.mask >> lane & 1) == 0) continue;
        EXPECT_TRUE(stored.insert(record.index[lane]).second) << "a cell is written once";
      }
    }
  }
  EXPECT_EQ(whole_warps, 2U);
  EXPECT_EQ(stored.size(), 64U);
}

TEST_F(InsideDiffusion, OccupancyIsTheCalculatorsAndNamesTheLimit) {
  const Outcome outcome = run({{"side", "64"}, {"tile", "8"}, {"steps", "1"}});
  const auto& curves = testing::figure<OccupancyCurves>(outcome);
  const gpu::OccupancyRequest launch{.threads_per_block = 64,
                                     .registers_per_thread = outcome.report.registers.value_or(32),
                                     .static_shared_bytes = outcome.report.shared_bytes};
  const auto expected = gpu::occupancy(device().info(), launch);
  ASSERT_TRUE(expected);
  EXPECT_EQ(curves.present.blocks, expected->blocks);
  EXPECT_EQ(curves.present.limiter, expected->limiter);
  ASSERT_EQ(curves.curves.size(), 3U);
  for (const OccupancyCurves::Curve& curve : curves.curves) {
    SCOPED_TRACE(curve.label);
    const auto present =
        std::find_if(curve.points.begin(), curve.points.end(), [&](const auto& point) { return point.at == curve.present; });
    ASSERT_NE(present, curve.points.end());
    EXPECT_EQ(present->occupancy.warps, expected->warps);
    EXPECT_TRUE(std::is_sorted(curve.points.begin(), curve.points.end(), [](const auto& l, const auto& r) { return l.at < r.at; }));
  }
  // More registers never let more warps in; in the end they are what stops them.
  const auto& registers = curves.curves[1].points;
  for (std::size_t i = 1; i < registers.size(); ++i) EXPECT_LE(registers[i].occupancy.warps, registers[i - 1].occupancy.warps);
  EXPECT_EQ(registers.back().occupancy.limiter, gpu::Limiter::registers);
  EXPECT_EQ(curves.curves[2].points.back().occupancy.limiter, gpu::Limiter::shared_memory);
}

TEST_F(InsideDiffusion, LinesAreCountedOfTheRecordedBlocks) {
  const Outcome outcome = run({{"side", "64"}, {"tile", "8"}, {"steps", "1"}});
  const auto stored = std::find_if(outcome.report.lines.begin(), outcome.report.lines.end(), [&](const gpu::LineCounts& counts) {
    return line(counts.line).find("out[y * n + x] =") != std::string::npos;
  });
  ASSERT_NE(stored, outcome.report.lines.end());
  EXPECT_EQ(stored->global_requests, 72U);  // 36 blocks of two warps
  EXPECT_EQ(stored->sectors, 288U);
}

/// Cycles by state, added up from the spans.
gpu::WarpCycles cycles_of(const gpu::Timeline& timeline) {
  gpu::WarpCycles cycles{};
  for (const gpu::WarpLane& lane : timeline.lanes) {
    for (const auto& span : lane.spans) cycles[static_cast<std::size_t>(span.state)] += span.end - span.begin;
  }
  return cycles;
}

TEST_F(InsideDiffusion, TheTimelineHasEveryWarpOfTheRecordedBlocks) {
  const Outcome outcome = run({{"side", "64"}, {"tile", "8"}, {"steps", "1"}});
  const auto& timeline = testing::figure<SmTimeline>(outcome);
  ASSERT_EQ(timeline.runs.size(), 1U);
  const gpu::ClockReport& clock = *timeline.runs[0].clock;
  EXPECT_EQ(clock.timeline.lanes.size(), 72U);  // 36 blocks of two warps
  EXPECT_EQ(cycles_of(clock.timeline), clock.warp_cycles);
  EXPECT_GT(clock.warp_cycles[static_cast<std::size_t>(WarpState::barrier)], 0U);
}

class InsideRace : public LessonRun {
 protected:
  InsideRace() : LessonRun("05") {}
};

TEST_F(InsideRace, BothWaysOfCountingStandOneAboveTheOther) {
  const Outcome outcome = run({{"trials", "2"}});
  const auto& timeline = testing::figure<SmTimeline>(outcome);
  ASSERT_EQ(timeline.runs.size(), 2U);
  EXPECT_EQ(timeline.runs[0].label, "c[0] += 1");
  EXPECT_EQ(timeline.runs[1].label, "atomicAdd(&c[0], 1)");
  for (const SmTimeline::Run& one : timeline.runs) {
    EXPECT_EQ(one.clock->timeline.lanes.size(), 128U);
    EXPECT_EQ(cycles_of(one.clock->timeline), one.clock->warp_cycles);
  }
  // The first is the launch that the page is about.
  EXPECT_EQ(timeline.runs[0].clock->cycles, outcome.report.cycles);
}

class InsideHistogram : public LessonRun {
 protected:
  InsideHistogram() : LessonRun("07") {}
};

TEST_F(InsideHistogram, TheMapBeginsWhereTheCountingDoes) {
  const Outcome outcome = run({{"atomics", "global"}});
  const auto& map = testing::figure<MemoryMap>(outcome);
  const AccessRecord& first = map.requests->at(map.first);
  EXPECT_EQ(first.kind, AccessRecord::Kind::atomic);
  EXPECT_EQ(first.block, 0U);
  EXPECT_LE(std::popcount(first.mask), 32);
  // Block 0 reads x in whole warps: 32 neighbours, 4 sectors.
  for (const AccessRecord& record : *map.requests) {
    if (record.kind == AccessRecord::Kind::load && record.mask == ~0U) {
      EXPECT_EQ(sectors(record), 4U);
    }
  }
}

}  // namespace
}  // namespace warpbook::lessons
