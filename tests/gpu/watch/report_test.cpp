// What Watch makes of it all: three states, one finding a distinct thing, limits, barriers' sentences, the trace, lines.
#include <gtest/gtest.h>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

TEST(Watch, NothingAskedNothingHeard) {
  Watch watch({}, {});
  EXPECT_EQ(watch.observer(), nullptr);
  LaunchReport report;
  watch.report_to(report);
  EXPECT_EQ(report.observed[FindingKind::race], Observation::not_observed);
}

TEST(Watch, ThreeStates) {
  Script script({.memory = true, .race = true, .trace = {}}, {.grid = {2}});
  for (const std::uint32_t block : {0u, 1u}) script.store(5, {block, 0}, one_lane(0), element(0));
  const LaunchReport report = script.report();
  EXPECT_EQ(report.observed[FindingKind::race], Observation::observed);
  EXPECT_EQ(report.observed[FindingKind::memory], Observation::none_found);
  EXPECT_EQ(report.observed[FindingKind::init], Observation::not_observed);
}

TEST(Watch, AReportWithoutALaunch) {
  Watch watch(Observe::all(), {});
  LaunchReport report;
  watch.report_to(report);  // the launch was refused before it began
  EXPECT_TRUE(report.findings.empty());
}

TEST(Watch, MoreFindingsThanAreKept) {
  Script script({.memory = true, .trace = {}}, {.limits = {.max_findings = 3}});
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t line = 1; line <= 10; ++line) {
      vm::Access access;
      access.bad = 1;
      access.problem = vm::Access::Problem::out_of_bounds;
      script.load(line, {0, 0}, one_lane(0), element(5000), access);
    }
  }
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_EQ(report.findings_left_out, 7u);
  EXPECT_EQ(report.findings[0].at.line, 1u);  // in the order of first sight
  EXPECT_EQ(report.findings[2].at.line, 3u);
  EXPECT_EQ(report.findings[0].threads, 2u);
}

TEST(Barriers, SaysWhoIsMissingWhere) {
  Script script({.sync = true, .trace = {}}, {.block = {64}});
  script.observer()->on_misuse({.site = script.at(5),
                                .warp = {0, 0},
                                .kind = vm::Misuse::Kind::divergent_barrier,
                                .mask = 0xffff,
                                .missing = 0xffff0000,
                                .other = script.at(8),
                                .other_warp = {0, 0}});
  script.observer()->on_misuse({.site = script.at(6),
                                .warp = {0, 1},
                                .kind = vm::Misuse::Kind::divergent_barrier,
                                .mask = 1,
                                .other = {},
                                .other_warp = {}});
  script.observer()->on_misuse({.site = script.at(7),
                                .warp = {0, 0},
                                .kind = vm::Misuse::Kind::missing_lane,
                                .mask = 0xff,
                                .missing = 0xffffff00,
                                .other = {},
                                .other_warp = {}});
  script.observer()->on_misuse({.site = script.at(9),
                                .warp = {0, 0},
                                .kind = vm::Misuse::Kind::caller_not_in_mask,
                                .mask = 2,
                                .other = {},
                                .other_warp = {}});
  script.observer()->on_misuse({.site = script.at(10),
                                .warp = {0, 0},
                                .kind = vm::Misuse::Kind::missing_lane,
                                .mask = 0xaaaaaaaa,
                                .missing = 0x55555555,
                                .other = {},
                                .other_warp = {}});
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 5u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::sync);
  EXPECT_EQ(report.findings[0].at.line, 5u);
  EXPECT_EQ(report.findings[0].other->line, 8u);
  EXPECT_EQ(report.findings[0].other->thread, (Dim3{16, 0, 0}));
  EXPECT_FALSE(report.findings[1].other);
  EXPECT_NE(in_english(report.findings[1].message).find("ended without reaching it"), std::string::npos);
  EXPECT_NE(in_english(report.findings[2].message).find("lanes 8–31"), std::string::npos) << in_english(report.findings[2].message);
  EXPECT_NE(in_english(report.findings[3].message).find("its own lane 1"), std::string::npos)
      << in_english(report.findings[3].message);
  EXPECT_NE(in_english(report.findings[4].message).find("lanes 0, 2, 4, 6 … of"), std::string::npos)
      << in_english(report.findings[4].message);
}

TEST(Trace, RecordsOnlyWhatWasAskedFor) {
  Observe observe;
  observe.trace = {1};
  vm::Allocation data{.base = Script::buffer_base,
                      .bytes = 128,
                      .buffer = 1,
                      .name = "data",
                      .type = ScalarType::float64,
                      .shape = {16},
                      .contents = {},
                      .initialised = {}};
  vm::Allocation other = data;
  other.base += 4096;
  other.buffer = 2;
  Script script(observe, {.grid = {3}, .allocations = {data, other}});
  for (unsigned lane = 0; lane < 32; ++lane) script.values[lane] = 100 + lane;
  vm::Access access;
  access.bytes = 8;
  access.issued = 10;
  access.reached = 20;
  access.done = 30;
  // Lanes 0–15 in the traced buffer, the others in the other one.
  const auto split = [](unsigned lane) { return Script::buffer_base + (lane < 16 ? 8 * lane : 4096 + 8 * (lane - 16)); };
  script.load(5, {2, 0}, all_lanes, split, access);
  script.store(6, {2, 0}, all_lanes, words_from(0), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.trace.size(), 1u);
  const AccessRecord& record = report.trace[0];
  EXPECT_EQ(record.kind, AccessRecord::Kind::load);
  EXPECT_FALSE(record.shared);
  EXPECT_EQ(record.buffer, 1u);
  EXPECT_EQ(record.line, 5u);
  EXPECT_EQ(record.block, 2u);
  EXPECT_EQ(record.mask, 0xffffu);
  EXPECT_EQ(record.index[15], 15);
  EXPECT_EQ(record.value[15], 115u);
  EXPECT_EQ(record.issued, 10u);
  EXPECT_EQ(record.reached, 20u);
  EXPECT_EQ(record.done, 30u);
  EXPECT_FALSE(report.trace_truncated);
}

TEST(Trace, SharedMemoryAndTheLimit) {
  Observe observe;
  observe.trace_shared = true;
  observe.trace_limit = 2;
  Script script(observe);
  for (std::uint64_t i = 0; i < 3; ++i) script.store(6, {0, 0}, all_lanes, words_from(i), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.trace.size(), 2u);
  EXPECT_TRUE(report.trace[1].shared);
  EXPECT_EQ(report.trace[1].index[31], 32);
  EXPECT_TRUE(report.trace_truncated);
}

TEST(Lines, CountsInstructionsByLine) {
  Script script({.race = true, .trace = {}});
  script.observer()->on_issue({.site = script.at(5), .warp = {0, 0}, .mask = all_lanes});
  script.observer()->on_issue({.site = script.at(5), .warp = {0, 0}, .mask = 1});
  script.observer()->on_issue({.site = script.at(3), .warp = {0, 0}, .mask = 3});
  script.observer()->on_issue({.site = script.at(0), .warp = {0, 0}, .mask = 3});  // no line
  const LaunchReport report = script.report();
  ASSERT_EQ(report.lines.size(), 2u);
  EXPECT_EQ(report.lines[0].line, 3u);
  EXPECT_EQ(report.lines[1].line, 5u);
  EXPECT_EQ(report.lines[1].warp_instructions, 2u);
  EXPECT_EQ(report.lines[1].thread_instructions, 33u);
}

}  // namespace
}  // namespace warpbook::gpu::watch
