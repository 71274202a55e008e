// What the memory detector says of accesses that the vm refused.
#include <gtest/gtest.h>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

constexpr Observe memory{.memory = true, .trace = {}};

vm::Access refused(std::uint32_t lanes, vm::Access::Problem problem = vm::Access::Problem::out_of_bounds) {
  vm::Access access;
  access.bad = lanes;
  access.problem = problem;
  return access;
}

bool says(const Finding& finding, const std::string& words) {
  if (in_english(finding.message).find(words) != std::string::npos) return true;
  ADD_FAILURE() << "“" << words << "” is not in: " << in_english(finding.message);
  return false;
}

TEST(Bounds, PastTheEnd) {
  Script script(memory, {.grid = {33}, .block = {128}});
  for (const std::uint32_t warp : {2u, 0u, 3u, 1u})  // whoever comes first, the nearest is shown
    script.store(10, {32, warp}, all_lanes, elements_from(4096 + 32 * warp), refused(all_lanes));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::memory);
  EXPECT_EQ(finding.space, "global");
  EXPECT_EQ(finding.buffer, "data");
  EXPECT_EQ(finding.index, 4096);
  EXPECT_EQ(finding.at.line, 10u);
  EXPECT_EQ(finding.at.file, "kernel.cu");
  EXPECT_EQ(finding.at.block, (Dim3{32, 0, 0}));
  EXPECT_EQ(finding.at.thread, (Dim3{0, 0, 0}));
  EXPECT_EQ(finding.threads, 128u);
  EXPECT_FALSE(finding.other);
  EXPECT_TRUE(says(
      finding, "Thread (0,0,0) of block (32,0,0) writes data[4096]; the access ends 4 bytes past the end of `data`, int32[4096]"));
  EXPECT_TRUE(says(finding, "128 such accesses, from data[4096] to data[4223]"));
}

TEST(Bounds, BeforeTheStart) {
  Script script(memory);
  script.load(
      3, {0, 0}, one_lane(1), [](unsigned) { return Script::buffer_base - 8; }, refused(one_lane(1)));
  vm::Access byte = refused(one_lane(0));
  byte.bytes = 1;
  script.load(
      4, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base - 5; }, byte);
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[1].index, -2) << "the element in which it lies";
  EXPECT_EQ(report.findings[0].index, -2);
  EXPECT_EQ(report.findings[0].at.thread, (Dim3{1, 0, 0}));
  EXPECT_TRUE(says(report.findings[0], "reads data[-2], 8 bytes before the start of `data`, int32[4096]"));
}

TEST(Bounds, StraddlingTheEnd) {
  Script script(memory);
  vm::Access access = refused(one_lane(0));
  access.bytes = 16;
  script.load(3, {0, 0}, one_lane(0), element(4094), access);
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].index, 4094);
  EXPECT_TRUE(says(report.findings[0], "8 bytes past the end"));
}

TEST(Bounds, TheNearestBufferIsMeant) {
  const auto buffer = [](BufferId id, const char* name, std::uint64_t at) {
    return vm::Allocation{.base = Script::buffer_base + at,
                          .bytes = 1024,
                          .buffer = id,
                          .name = name,
                          .type = ScalarType::float64,
                          .shape = {128},
                          .contents = {},
                          .initialised = {}};
  };
  Script script(memory, {.allocations = {buffer(1, "a", 0), buffer(2, "b", 1 << 20)}});
  script.load(
      3, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base + 1024 + 64; }, refused(one_lane(0)));
  script.load(
      4, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base + (1 << 20) - 8; }, refused(one_lane(0)));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].buffer, "a");
  EXPECT_EQ(report.findings[0].index, 136);
  EXPECT_EQ(report.findings[1].buffer, "b");
  EXPECT_EQ(report.findings[1].index, -1);
}

TEST(Bounds, NullPointer) {
  Script script(memory);
  script.load(
      3, {0, 0}, one_lane(0), [](unsigned) { return 0; }, refused(one_lane(0)));
  script.load(
      4, {0, 0}, one_lane(0), [](unsigned) { return 40; }, refused(one_lane(0)));
  script.load(
      5, {0, 0}, one_lane(0), [](unsigned) { return 0x3fffffc; }, refused(one_lane(0)));
  script.load(
      6, {0, 0}, one_lane(0), [](unsigned) { return 0x4000000; }, refused(one_lane(0)));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 4u);
  EXPECT_TRUE(says(report.findings[0], "address 0 (line 3): a null pointer."));
  EXPECT_TRUE(says(report.findings[1], "address 0x28 (line 4): a null pointer plus an index."));
  EXPECT_TRUE(says(report.findings[2], "address 0x3fffffc (line 5): a null pointer plus an index."));
  EXPECT_TRUE(says(report.findings[3], "lies in no buffer"));
  EXPECT_EQ(report.findings[0].buffer, "");
  EXPECT_FALSE(report.findings[0].index);
}

TEST(Bounds, FarFromEveryBuffer) {
  Script script(memory);
  script.load(
      3, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base * 2; }, refused(one_lane(0)));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_TRUE(says(report.findings[0], "lies in no buffer"));
}

TEST(Bounds, SharedMemory) {
  Script script(memory, {.shared_bytes = 400, .shared_variables = {{.name = "tile", .offset = 0, .bytes = 400}}});
  vm::Access access = refused(one_lane(0));
  access.space = ptx::Space::shared;
  script.store(3, {0, 0}, one_lane(0), word(100), access);
  access.bad = one_lane(1);
  script.store(
      4, {0, 0}, one_lane(1), [](unsigned) { return std::uint64_t{0} - 4; }, access);
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].space, "shared");
  EXPECT_EQ(report.findings[0].buffer, "tile");
  EXPECT_EQ(report.findings[0].index, 100);
  EXPECT_TRUE(
      says(report.findings[0], "tile[100]; the access ends 4 bytes past the end of the block's 400 bytes of shared memory"));
  EXPECT_EQ(report.findings[1].index, -1);
  EXPECT_TRUE(says(report.findings[1], "4 bytes before the start of the block's shared memory"));
}

TEST(Bounds, Misaligned) {
  Script script(memory);
  vm::Access access = refused(one_lane(0), vm::Access::Problem::misaligned);
  access.bytes = 16;
  script.load(3, {0, 0}, one_lane(0), element(1), access);
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].index, 1);
  EXPECT_TRUE(says(report.findings[0], "no multiple of 16"));
}

TEST(Bounds, ConstantsAreReadOnly) {
  Script script(memory);
  script.store(3, {0, 0}, one_lane(0), element(1), refused(one_lane(0), vm::Access::Problem::read_only));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_TRUE(says(report.findings[0], "__constant__"));
}

TEST(Bounds, GoodAccessesAreNoFinding) {
  Script script(memory);
  script.store(3, {0, 0}, all_lanes, elements_from(0));
  const LaunchReport report = script.report();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.observed[FindingKind::memory], Observation::none_found);
}

}  // namespace
}  // namespace warpbook::gpu::watch
