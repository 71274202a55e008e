// Figures by source line, from synthetic events: what each detector adds. line_counts_test has the same from kernels.
#include "gpu/virtual/watch/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

LineCounts of_line(const LaunchReport& report, std::uint32_t line) {
  for (const LineCounts& counts : report.lines)
    if (counts.line == line) return counts;
  return {};
}

TEST(Lines, LanesOnOneAddress) {
  std::array<std::uint64_t, 32> address{};
  EXPECT_EQ(lanes_on_one_address(address.data(), all_lanes), 32u);
  EXPECT_EQ(lanes_on_one_address(address.data(), 0x0f), 4u);
  EXPECT_EQ(lanes_on_one_address(address.data(), 0), 0u);
  for (unsigned lane = 0; lane < 32; ++lane) address[lane] = 4 * lane;
  EXPECT_EQ(lanes_on_one_address(address.data(), all_lanes), 1u);
  for (unsigned lane = 0; lane < 32; ++lane) address[lane] = 4 * (lane % 5);
  EXPECT_EQ(lanes_on_one_address(address.data(), all_lanes), 7u);  // 0, 5, … 30
}

TEST(Lines, LanesOnOneAddressWhereverTheyAre) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    // Places from a few to many, side by side or as far apart as addresses go; some differ in their high halves alone.
    const std::uint64_t places = 1 + random() % 40, step = std::uint64_t{1} << random() % 64, base = round % 3 ? random() : 0;
    const auto mask = static_cast<std::uint32_t>(round % 2 ? random() : all_lanes);
    std::array<std::uint64_t, 32> address;
    std::map<std::uint64_t, unsigned> count;
    unsigned most = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      address[lane] = base + random() % places * step;
      if (mask >> lane & 1) most = std::max(most, ++count[address[lane]]);
    }
    ASSERT_EQ(lanes_on_one_address(address.data(), mask), most) << "round " << round;
  }
}

TEST(Lines, EachDetectorAddsItsFigures) {
  Script script(Observe::all());
  script.load(5, {0, 0}, all_lanes, elements_from(0));
  script.load(5, {0, 0}, all_lanes, elements_from(0, 32));
  script.store(6, {0, 0}, 0xff, elements_from(0));
  script.load(7, {0, 0}, all_lanes, words_from(0, 2), shared_access());
  script.branch(8, {0, 0}, all_lanes, 1);
  script.branch(8, {0, 0}, all_lanes, all_lanes);
  script.atomic(9, {0, 0}, 0xffff, element(3));
  script.load(0, {0, 0}, all_lanes, elements_from(0));  // belongs to no line
  const LaunchReport report = script.report();
  ASSERT_EQ(report.lines.size(), 5u);
  const LineCounts load = of_line(report, 5), store = of_line(report, 6), shared = of_line(report, 7), branch = of_line(report, 8),
                   atomic = of_line(report, 9);
  EXPECT_EQ(load.global_requests, 2u);
  EXPECT_EQ(load.sectors, 4u + 32u);
  EXPECT_EQ(load.fewest_sectors, 4u + 4u);
  EXPECT_EQ(store.sectors, 1u);
  EXPECT_EQ(shared.shared_requests, 1u);
  EXPECT_EQ(shared.shared_passes, 2u);
  EXPECT_EQ(branch.branches, 2u);
  EXPECT_EQ(branch.split_branches, 1u);
  EXPECT_EQ(atomic.atomic_requests, 1u);
  EXPECT_EQ(atomic.atomic_lanes, 16u);
  EXPECT_EQ(atomic.atomic_passes, 16u);
  EXPECT_EQ(atomic.global_requests, 0u);
}

TEST(Lines, WhatIsNotWatchedIsNotCounted) {
  Script script({.divergence = true, .trace = {}});
  script.load(5, {0, 0}, all_lanes, elements_from(0));
  script.branch(6, {0, 0}, all_lanes, 1);
  const LaunchReport report = script.report();
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_EQ(report.lines[0].line, 6u);
}

}  // namespace
}  // namespace warpbook::gpu::watch
