// Coalescing, bank conflicts and divergence: the figures against known truths, and what is worth a finding.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "gpu/virtual/watch/banks.h"
#include "gpu/virtual/watch/coalescing.h"
#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

std::array<std::uint64_t, 32> addresses(std::uint64_t first, std::uint64_t stride) {
  std::array<std::uint64_t, 32> all{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) all[lane] = first + stride * lane;
  return all;
}

TEST(Sectors, KnownTruths) {
  const auto sectors = [](std::uint64_t first, std::uint64_t stride, std::uint32_t bytes, std::uint32_t mask = all_lanes) {
    return sectors_touched(addresses(first, stride).data(), mask, bytes);
  };
  EXPECT_EQ(sectors(0, 4, 4), 4u);         // 32 consecutive floats
  EXPECT_EQ(sectors(4, 4, 4), 5u);         // the same, one element off
  EXPECT_EQ(sectors(0, 128, 4), 32u);      // 32 floats apart
  EXPECT_EQ(sectors(0, 8, 4), 8u);         // every other float
  EXPECT_EQ(sectors(0, 0, 4), 1u);         // a broadcast
  EXPECT_EQ(sectors(0, 8, 8), 8u);         // 32 consecutive doubles
  EXPECT_EQ(sectors(0, 16, 16), 16u);      // 32 consecutive float4
  EXPECT_EQ(sectors(0, 1, 1), 1u);         // 32 consecutive bytes
  EXPECT_EQ(sectors(0, 4096, 4), 32u);     // all in one slot of the table
  EXPECT_EQ(sectors(0, 4, 4, 0xffu), 1u);  // 8 lanes
  EXPECT_EQ(sectors(0, 4, 4, 0), 0u);
  const auto down = addresses(4 * 31, static_cast<std::uint64_t>(-4));
  EXPECT_EQ(sectors_touched(down.data(), all_lanes, 4), 4u);  // the order of lanes does not matter
}

TEST(Sectors, RowsAreCountedAsTheirLanesAre) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20'000; ++trial) {
    vm::Access access;
    access.rows = random() % 2 ? vm::Access::Rows::same : vm::Access::Rows::side_by_side;
    access.bytes = 1u << random() % 5;
    std::array<std::uint64_t, 32> address{};
    const std::uint64_t apart = access.bytes * (1 + random() % 40);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint64_t step = access.rows == vm::Access::Rows::same ? 0 : access.bytes;
      address[lane] = lane % 8 ? address[lane - 1] + step : 4096 + apart * (random() % 6);
    }
    access.address = address.data();
    for (unsigned row = 0; row < 4; ++row)
      if (random() % 4) access.mask |= 0xffu << 8 * row;
    std::set<std::uint64_t> sectors;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (access.mask >> lane & 1)
        for (std::uint64_t byte = address[lane]; byte < address[lane] + access.bytes; ++byte) sectors.insert(byte / 32);
    ASSERT_EQ(sectors_touched(access), sectors.size()) << "trial " << trial;
  }
}

TEST(BankConflicts, KnownTruths) {
  const auto degree = [](std::uint64_t stride, std::uint32_t bytes, std::uint32_t mask = all_lanes) {
    return conflict_degree(addresses(0, stride).data(), mask, bytes);
  };
  EXPECT_EQ(degree(4, 4), 1u);        // a row
  EXPECT_EQ(degree(4 * 32, 4), 32u);  // a column of tile[32][32]
  EXPECT_EQ(degree(4 * 33, 4), 1u);   // a column of tile[32][33]
  EXPECT_EQ(degree(8, 4), 2u);        // every other word
  EXPECT_EQ(degree(0, 4), 1u);        // a broadcast
  EXPECT_EQ(degree(1, 1), 1u);        // bytes of shared words
  EXPECT_EQ(degree(8, 8), 1u);        // consecutive doubles: two half-warps
  EXPECT_EQ(degree(16, 16), 1u);      // consecutive float4: four quarter-warps
  EXPECT_EQ(degree(16, 8), 2u);       // every other double
  EXPECT_EQ(degree(8 * 32, 8), 16u);  // a column of doubles
  EXPECT_EQ(degree(4 * 32, 4, 0xf), 4u);
  EXPECT_EQ(degree(4, 4, 0), 0u);
  auto doubles = addresses(0, 8);  // a row, then, by the second half-warp, a column
  for (unsigned lane = 16; lane < 32; ++lane) doubles[lane] = 8 * 32 * lane;
  EXPECT_EQ(conflict_degree(doubles.data(), all_lanes, 8), 16u);
}

TEST(Coalescing, StridedLoadsAreFound) {
  Script script({.coalescing = true, .trace = {}});
  for (int i = 0; i < 4; ++i) script.load(5, {0, 0}, all_lanes, elements_from(i, 32));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::coalescing);
  EXPECT_EQ(finding.at.line, 5u);
  EXPECT_EQ(finding.buffer, "data");
  EXPECT_NE(in_english(finding.message).find("32 sectors"), std::string::npos) << in_english(finding.message);
  EXPECT_NE(in_english(finding.message).find("4 could hold"), std::string::npos) << in_english(finding.message);
  EXPECT_NE(in_english(finding.message).find("32 elements apart"), std::string::npos) << in_english(finding.message);
}

TEST(Coalescing, WhatIsInnocent) {
  Script script({.coalescing = true, .trace = {}}, {.grid = {4}});
  for (int i = 0; i < 8; ++i) {
    script.load(5, {0, 0}, all_lanes, elements_from(0));
    script.load(6, {0, 0}, all_lanes, elements_from(1));
    script.load(7, {0, 0}, all_lanes, element(9));
    script.load(8, {0, 0}, all_lanes, elements_from(0, 2));               // twice the fewest, no more
    script.load(9, {0, 0}, 0xff, elements_from(0, 32));                   // no full warp
    script.atomic(10, {0, 0}, all_lanes, elements_from(0, 32));           // served elsewhere
    if (i < 3) script.load(11, {0, 0}, all_lanes, elements_from(0, 32));  // too few to judge
  }
  const LaunchReport report = script.report();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.observed[FindingKind::coalescing], Observation::none_found);
}

TEST(Coalescing, LoadsAndStoresOfALineAreJudgedApart) {
  Script script({.coalescing = true, .trace = {}});
  for (int i = 0; i < 4; ++i) {
    script.load(5, {0, 0}, all_lanes, elements_from(0));
    script.store(6, {0, 0}, all_lanes, elements_from(0, 16));
  }
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(in_english(report.findings[0].message).find("A warp that writes"), std::string::npos);
}

TEST(Banks, AColumnIsFoundAPaddedOneIsNot) {
  for (const std::uint64_t stride : {32u, 33u}) {
    Script script({.banks = true, .trace = {}}, {.shared_bytes = 8192});
    for (std::uint64_t i = 0; i < 4; ++i) script.load(5, {0, 0}, all_lanes, words_from(i, stride), shared_access());
    const LaunchReport report = script.report();
    ASSERT_EQ(report.findings.size(), stride == 32 ? 1u : 0u);
    if (stride != 32) continue;
    EXPECT_EQ(report.findings[0].space, "shared");
    EXPECT_EQ(report.findings[0].buffer, "tile");
    EXPECT_NE(in_english(report.findings[0].message).find("bank conflicts, 32-way at worst"), std::string::npos);
  }
}

TEST(Divergence, HalfOfEachWarp) {
  Script script({.divergence = true, .trace = {}}, {.grid = {2}});
  for (const std::uint32_t block : {0u, 1u}) script.branch(5, {block, 0}, all_lanes, 0x55555555);
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].at.line, 5u);
  EXPECT_NE(in_english(report.findings[0].message).find("splits 2 of the 2 warps"), std::string::npos);
  EXPECT_NE(in_english(report.findings[0].message).find("16 lanes go one way and 16 the other"), std::string::npos);
}

TEST(Divergence, WhatIsInnocent) {
  Script script({.divergence = true, .trace = {}}, {.grid = {8}, .block = {256}});
  for (std::uint32_t block = 0; block < 8; ++block) {
    for (std::uint32_t warp = 0; warp < 8; ++warp) {
      script.branch(5, {block, warp}, all_lanes, block == 7 && warp == 7 ? 0xff : all_lanes);  // a bounds guard
      script.branch(6, {block, warp}, all_lanes, warp % 2 ? all_lanes : 0);                    // warps differ, lanes do not
      script.branch(7, {block, warp}, all_lanes, warp == 0 ? 1 : 0);                           // one warp in eight
      script.branch(8, {block, warp}, 0x0f, 0x0f);                                             // all that came
    }
  }
  for (int i = 0; i < 100; ++i) script.branch(9, {3, 3}, all_lanes, 1);  // one warp only
  const LaunchReport report = script.report();
  EXPECT_TRUE(report.findings.empty());
}

}  // namespace
}  // namespace warpbook::gpu::watch
