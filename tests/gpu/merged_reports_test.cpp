// Several orders of one launch as one report.
#include "gpu/merged_reports.h"

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
  MergedReports merged;
  merged.add(report({finding(FindingKind::race, 5, 7)}, Observation::observed));
  merged.add(report({}, Observation::none_found));
  merged.add(report({finding(FindingKind::race, 7, 5), finding(FindingKind::race, 9, 9)}, Observation::observed));
  const LaunchReport all = merged.take();
  EXPECT_EQ(all.orders, 3u);
  ASSERT_EQ(all.findings.size(), 2u);
  EXPECT_EQ(all.findings[0].orders, 2u) << "whichever of the two came first";
  EXPECT_EQ(all.findings[1].orders, 1u);
  EXPECT_EQ(all.observed[FindingKind::race], Observation::observed);
}

TEST(Orders, WhatOneOrderDidNotSeeToTheEndIsIncomplete) {
  MergedReports merged;
  merged.add(report({}, Observation::none_found));
  EXPECT_TRUE(merged.wants_more());
  merged.add(report({}, Observation::incomplete, "cudaErrorLaunchTimeout"));
  EXPECT_FALSE(merged.wants_more());
  const LaunchReport all = merged.take();
  EXPECT_EQ(all.observed[FindingKind::race], Observation::incomplete);
  EXPECT_EQ(all.observed[FindingKind::memory], Observation::not_observed);
  EXPECT_EQ(all.status, "cudaErrorLaunchTimeout");
}

TEST(Orders, OneLaunchStaysAsItIs) {
  MergedReports merged;
  merged.add(report({finding(FindingKind::memory, 3)}, Observation::none_found));
  const LaunchReport all = merged.take();
  EXPECT_EQ(all.orders, 1u);
  EXPECT_EQ(all.findings.size(), 1u);
}

}  // namespace
}  // namespace warpbook::gpu
