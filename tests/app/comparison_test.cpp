// What stands beside what after a look inside: equal and differing numbers, what hardware cannot see, launches that failed.
#include "app/session/comparison.h"

#include <gtest/gtest.h>

namespace warpbook::app {
namespace {

using gpu::FindingKind;
using gpu::Observation;

Snapshot gpu_run(std::vector<lessons::Number> numbers) {
  Snapshot snapshot;
  snapshot.device = "NVIDIA H200";
  snapshot.on_gpu = true;
  snapshot.outcome.emplace();
  snapshot.outcome->numbers = std::move(numbers);
  return snapshot;
}

Snapshot virtual_run(std::vector<lessons::Number> numbers, std::optional<FindingKind> found = {}) {
  Snapshot snapshot = gpu_run(std::move(numbers));
  snapshot.device = "Virtual GPU · T4 profile";
  snapshot.on_gpu = false;
  snapshot.outcome->report.observed.of.fill(Observation::none_found);
  if (found) {
    snapshot.outcome->report.observed[*found] = Observation::observed;
    for (const std::uint32_t line : {12U, 9U, 9U}) {
      gpu::Finding finding;
      finding.kind = *found;
      finding.at.line = line;
      snapshot.outcome->report.findings.push_back(finding);
    }
  }
  return snapshot;
}

lessons::Number number(const std::string& name, double value, bool on_page = true) {
  return {.name = name, .label = as_it_is(name), .value = value, .unit = {}, .on_page = on_page};
}

TEST(Comparison, equal_numbers_and_no_finding) {
  const Comparison c = compare(gpu_run({number("got", 4096)}), virtual_run({number("got", 4096)}));
  ASSERT_EQ(c.rows.size(), 1U);
  EXPECT_EQ(c.rows[0].there, "4096");
  EXPECT_FALSE(c.rows[0].differs);
  EXPECT_EQ(c.verdict, "Both give the same numbers, and no mistake was found.");
  ASSERT_EQ(c.seen.size(), gpu::finding_kinds);
  for (const auto& seen : c.seen) {
    EXPECT_EQ(seen.there, Observation::not_observed);
    EXPECT_EQ(seen.here, Observation::none_found);
  }
}

TEST(Comparison, differing_numbers_with_a_race_are_the_kernels_fault) {
  const Comparison c = compare(gpu_run({number("expected", 4096), number("got", 2)}),
                               virtual_run({number("expected", 4096), number("got", 1)}, FindingKind::race));
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_FALSE(c.rows[0].differs);
  EXPECT_TRUE(c.rows[1].differs);
  EXPECT_NE(c.verdict.find("race"), std::string::npos) << c.verdict;
  EXPECT_EQ(c.seen[static_cast<std::size_t>(FindingKind::race)].lines, "lines 9, 12");
}

TEST(Comparison, differing_numbers_without_a_finding_are_not_explained_away) {
  const Comparison c = compare(gpu_run({number("sum", 1)}), virtual_run({number("sum", 2)}));
  EXPECT_EQ(c.verdict, "The numbers differ, and nothing was found that explains it.");
}

TEST(Comparison, what_makes_a_launch_slow_is_no_mistake) {
  const Comparison c = compare(gpu_run({number("sum", 1)}), virtual_run({number("sum", 1)}, FindingKind::banks));
  EXPECT_EQ(c.verdict, "Both give the same numbers, and no mistake was found.");
}

TEST(Comparison, times_may_differ) {
  lessons::Number fast = number("ms", 0.02), slow = number("ms", 31);
  fast.of_device = slow.of_device = true;
  fast.unit = slow.unit = "ms";
  fast.decimals = slow.decimals = 3;
  const Comparison c = compare(gpu_run({fast}), virtual_run({slow}));
  ASSERT_EQ(c.rows.size(), 1U);
  EXPECT_EQ(c.rows[0].there, "0.020 ms");
  EXPECT_EQ(c.rows[0].here, "31.000 ms");
  EXPECT_FALSE(c.rows[0].differs);
  EXPECT_EQ(c.verdict, "Both give the same numbers, and no mistake was found.");
}

TEST(Comparison, what_prints_alike_is_the_same) {
  lessons::Number a = number("sum", 0.123449), b = number("sum", 0.12345);
  a.decimals = b.decimals = 3;
  EXPECT_FALSE(compare(gpu_run({a}), virtual_run({b})).rows[0].differs);
}

TEST(Comparison, a_number_that_hardware_cannot_give_is_not_observed) {
  const Comparison c = compare(gpu_run({number("written", 4096)}), virtual_run({number("written", 4096), number("outside", 128)}));
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_EQ(c.rows[1].there, "not observed");
  EXPECT_TRUE(c.rows[1].there_missing);
  EXPECT_EQ(c.rows[1].here, "128");
  EXPECT_FALSE(c.rows[1].differs);
}

TEST(Comparison, numbers_beside_the_page_are_counted_unless_they_differ) {
  std::vector<lessons::Number> there, here;
  for (int i = 0; i < 20; ++i) {
    there.push_back(number("bin " + std::to_string(i), i, i < 2));
    here.push_back(number("bin " + std::to_string(i), i == 17 ? 99 : i, i < 2));
  }
  const Comparison c = compare(gpu_run(there), virtual_run(here));
  ASSERT_EQ(c.rows.size(), 4U);  // the page's two, the one that differs, and one more to make four
  EXPECT_EQ(c.rows[2].label, "bin 17");
  EXPECT_TRUE(c.rows[2].differs);
  EXPECT_EQ(c.same_left_out, 16U);
}

TEST(Comparison, a_launch_that_failed_on_the_gpu_is_a_row_of_its_own) {
  Snapshot there = gpu_run({});
  there.outcome->report.status = "cudaErrorIllegalAddress";
  const Comparison c = compare(there, virtual_run({number("written", 4096)}, FindingKind::memory));
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_EQ(c.rows[0].there, "cudaErrorIllegalAddress");
  EXPECT_EQ(c.rows[0].here, "ok");
  EXPECT_TRUE(c.rows[0].differs);
  EXPECT_EQ(c.rows[1].there, "no result");
  EXPECT_NE(c.verdict.find("cudaErrorIllegalAddress"), std::string::npos) << c.verdict;
  EXPECT_NE(c.verdict.find("outside an array"), std::string::npos) << c.verdict;
}

TEST(Comparison, what_the_virtual_gpu_could_not_repeat_says_why) {
  Snapshot here;
  here.error = Error{"code", "There was no memory."};
  const Comparison c = compare(gpu_run({number("sum", 1)}), here);
  EXPECT_EQ(c.verdict, "The virtual GPU could not repeat it. There was no memory.");
}

}  // namespace
}  // namespace warpbook::app
