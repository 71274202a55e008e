// Reads of what nobody has written.
#include <gtest/gtest.h>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

constexpr Observe init{.init = true, .trace = {}};

vm::Allocation partly_written(std::size_t written) {
  std::vector<bool> initialised(4096, false);
  for (std::size_t i = 0; i < written; ++i) initialised[i] = true;
  return {.base = Script::buffer_base,
          .bytes = 4096,
          .buffer = 1,
          .name = "data",
          .type = ScalarType::int32,
          .shape = {1024},
          .contents = {},
          .initialised = initialised};
}

TEST(Uninitialised, SharedHalo) {
  Script script(init);
  script.store(5, {0, 0}, all_lanes, words_from(1), shared_access());
  script.load(7, {0, 0}, all_lanes, words_from(0), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::init);
  EXPECT_EQ(finding.space, "shared");
  EXPECT_EQ(finding.buffer, "tile");
  EXPECT_EQ(finding.index, 0);
  EXPECT_EQ(finding.at.line, 7u);
  EXPECT_EQ(finding.threads, 1u);
}

TEST(Uninitialised, EveryBlockStartsWithGarbage) {
  Script script(init, {.grid = {2}});
  script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.load(6, {0, 0}, all_lanes, words_from(0), shared_access());
  script.end_block(0);
  script.load(7, {1, 0}, all_lanes, words_from(0), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].at.line, 7u);
  EXPECT_EQ(report.findings[0].threads, 32u);
}

TEST(Uninitialised, ThatABlockWroteAllHelpsTheNextNot) {
  Script script(init, {.grid = {2}, .shared_bytes = 128, .shared_variables = {{.name = "tile", .offset = 0, .bytes = 128}}});
  script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.load(6, {0, 0}, all_lanes, words_from(0), shared_access());
  script.end_block(0);
  script.store(5, {1, 0}, 0xffff, words_from(0), shared_access());
  script.load(6, {1, 0}, all_lanes, words_from(0), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].threads, 16u);
}

TEST(Uninitialised, GlobalMemoryByBytes) {
  Script script(init, {.allocations = {partly_written(4 * 32 + 2)}});
  script.load(5, {0, 0}, all_lanes, elements_from(0));
  EXPECT_TRUE(script.report().findings.empty());
  script.load(6, {0, 0}, all_lanes, elements_from(1));  // the last reads a half-written word
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].index, 32);
  EXPECT_EQ(report.findings[0].threads, 1u);
}

TEST(Uninitialised, AStoreInitialises) {
  Script script(init, {.grid = {2}, .allocations = {partly_written(0)}});
  script.store(5, {0, 0}, all_lanes, elements_from(0));
  script.end_block(0);
  script.load(6, {1, 0}, all_lanes, elements_from(0));
  EXPECT_TRUE(script.report().findings.empty());
  script.atomic(7, {1, 0}, one_lane(0), element(32));
  EXPECT_EQ(script.report().findings.size(), 1u);
}

TEST(Uninitialised, AllWrittenByTheHost) {
  Script script(init);
  script.load(6, {0, 0}, all_lanes, elements_from(0));
  EXPECT_TRUE(script.report().findings.empty());
}

}  // namespace
}  // namespace warpbook::gpu::watch
