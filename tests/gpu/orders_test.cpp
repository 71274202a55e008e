// Several orders of one launch as one report.
#include "gpu/orders.h"

#include <gtest/gtest.h>

namespace warpbook::gpu {
namespace {

Finding finding(FindingKind kind, std::uint32_t line, std::uint32_t other_line = 0) {
  Finding made;
  made.kind = kind;
  made.at.line = line;
  if (other_line) {
    made.other.emplace();
    made.other->line = other_line;
  }
  return made;
}

LaunchReport report(std::vector<Finding> findings, Observation race, const char* status = "ok") {
  LaunchReport made;
  made.findings = std::move(findings);
  made.observed[FindingKind::race] = race;
  made.status = status;
  return made;
}

TEST(Orders, EachFindingOnceWithTheOrdersThatShowedIt) {
  JoinedOrders joined;
  joined.add(report({finding(FindingKind::race, 5, 7)}, Observation::observed));
  joined.add(report({}, Observation::none_found));
  joined.add(report({finding(FindingKind::race, 7, 5), finding(FindingKind::race, 9, 9)}, Observation::observed));
  const LaunchReport all = joined.take();
  EXPECT_EQ(all.orders, 3u);
  ASSERT_EQ(all.findings.size(), 2u);
  EXPECT_EQ(all.findings[0].orders, 2u) << "whichever of the two came first";
  EXPECT_EQ(all.findings[1].orders, 1u);
  EXPECT_EQ(all.observed[FindingKind::race], Observation::observed);
}

TEST(Orders, WhatOneOrderDidNotSeeToTheEndIsIncomplete) {
  JoinedOrders joined;
  joined.add(report({}, Observation::none_found));
  EXPECT_TRUE(joined.go_on());
  joined.add(report({}, Observation::incomplete, "cudaErrorLaunchTimeout"));
  EXPECT_FALSE(joined.go_on());
  const LaunchReport all = joined.take();
  EXPECT_EQ(all.observed[FindingKind::race], Observation::incomplete);
  EXPECT_EQ(all.observed[FindingKind::memory], Observation::not_observed);
  EXPECT_EQ(all.status, "cudaErrorLaunchTimeout");
}

TEST(Orders, OneLaunchStaysAsItIs) {
  JoinedOrders joined;
  joined.add(report({finding(FindingKind::memory, 3)}, Observation::none_found));
  const LaunchReport all = joined.take();
  EXPECT_EQ(all.orders, 1u);
  EXPECT_EQ(all.findings.size(), 1u);
}

}  // namespace
}  // namespace warpbook::gpu
