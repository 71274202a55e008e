// Lesson 04: what the course promises, on the virtual GPU; who computes what is counted from the rule and not from the kernel.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;

class GridStride : public LessonRun {
 protected:
  GridStride() : LessonRun("04") {}
};

/// The thread of each element in the small launch that the page shows; NaN: nobody.
std::vector<float> who(const Outcome& outcome) {
  const auto& arrays = testing::figure<Arrays>(outcome);
  if (!arrays.arrays || arrays.arrays->size() != 1) return {};
  const auto& bytes = arrays.arrays->front().after;
  std::vector<float> threads(bytes.size() / sizeof(float));
  std::memcpy(threads.data(), bytes.data(), bytes.size());
  return threads;
}

void expect_all_right(const Outcome& outcome) {
  EXPECT_EQ(number(outcome, "computed"), 1'000'000);
  EXPECT_EQ(number(outcome, "missing"), 0);
  EXPECT_EQ(number(outcome, "wrong"), 0);
  EXPECT_LE(number(outcome, "worst_error"), 1.5e-5);
  EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::race).empty());
  EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::memory).empty());
}

TEST_F(GridStride, TheLoopTakesEveryElementAndFourSectorsARequest) {
  const Outcome outcome = run({});
  expect_all_right(outcome);
  EXPECT_EQ(number(outcome, "sectors_a_request"), 4);
  EXPECT_EQ(number(outcome, "sectors_shown"), 4);
  const std::vector<float> threads = who(outcome);
  ASSERT_EQ(threads.size(), 2U * 64 * 8);
  for (std::size_t i = 0; i < threads.size(); ++i) ASSERT_EQ(threads[i], float(i % 128)) << i;
  EXPECT_EQ(outcome.report.grid.x, 128U);
  EXPECT_EQ(outcome.report.block.x, 64U);
}

TEST_F(GridStride, AChunkAThreadIsRightAndNeeds32SectorsARequest) {
  const Outcome outcome = run({{"way", "chunk"}});
  expect_all_right(outcome);
  EXPECT_EQ(number(outcome, "sectors_shown"), 32);
  EXPECT_GT(number(outcome, "sectors_a_request"), 31);
  const std::vector<float> threads = who(outcome);
  ASSERT_EQ(threads.size(), 2U * 64 * 8);
  for (std::size_t i = 0; i < threads.size(); ++i) ASSERT_EQ(threads[i], float(i / 8)) << i;
}

TEST_F(GridStride, OneElementAThreadLeavesOutWhatLiesPastTheGrid) {
  const Outcome outcome = run({{"way", "one"}});
  EXPECT_EQ(number(outcome, "computed"), 128 * 64);
  EXPECT_EQ(number(outcome, "missing"), 991'808);
  EXPECT_EQ(number(outcome, "wrong"), 0);
  const std::vector<float> threads = who(outcome);
  ASSERT_EQ(threads.size(), 2U * 64 * 8);
  for (std::size_t i = 0; i < threads.size(); ++i) ASSERT_EQ(std::isnan(threads[i]), i >= 128) << i;
  EXPECT_NE(outcome.note.find("991808"), std::string::npos) << outcome.note;
}

TEST_F(GridStride, FifteenThousandBlocksHaveAThreadForEveryElement) {
  expect_all_right(run({{"way", "one"}, {"blocks", "15625"}}));
  const Outcome outcome = run({{"way", "one"}, {"blocks", "15624"}});
  EXPECT_EQ(number(outcome, "missing"), 64);
}

TEST_F(GridStride, OneThreadIsRightAndFarSlowerThanACoreOfTheCpu) {
  const Outcome outcome = run({{"blocks", "1"}, {"threads", "1"}});
  expect_all_right(outcome);
  EXPECT_GT(number(outcome, "cpu_ms"), 0);
  EXPECT_GT(number(outcome, "cpu_times_faster"), 2) << "a slow computer, unoptimised, under load";
  EXPECT_NEAR(number(outcome, "launch_us") / number(outcome, "thread_ms"), 1000, 50)
      << "the same launch, timed on its first 31,250 and its first 20,000 pairs";
}

TEST_F(GridStride, EveryGridIsRight) {
  for (const char* way : {"stride", "chunk"}) {
    for (const auto& [blocks, threads] : {std::pair{"3", "100"}, std::pair{"1", "1024"}, std::pair{"2000", "1"}}) {
      expect_all_right(run({{"way", way}, {"blocks", blocks}, {"threads", threads}}));
    }
  }
}

TEST_F(GridStride, ThousandsOfThreadsAreFasterThanOneAndMoreBlocksHelpUntilTheMemoryIsTheLimit) {
  const Outcome course = run({});
  EXPECT_GT(number(course, "thread_ms"), number(course, "launch_us")) << "more than 1000 times, for 8192 threads";
  const auto us = [&](const char* blocks) { return number(run({{"blocks", blocks}, {"threads", "256"}}), "launch_us"); };
  const double few = us("20"), more = us("100"), many = us("336"), far_more = us("1344");
  EXPECT_GT(few, more);
  EXPECT_GE(more, many);
  EXPECT_LT(many / far_more, 1.25) << "beyond the rule there is little to gain";
}

TEST_F(GridStride, TheLadderHasTheMeasuredCoreAndTheModelsTwo) {
  const Outcome outcome = run({});
  const auto& ladder = testing::figure<Ladder>(outcome);
  ASSERT_EQ(ladder.rungs.size(), 3U);
  EXPECT_DOUBLE_EQ(ladder.rungs[0].us, 1000 * number(outcome, "cpu_ms"));
  EXPECT_DOUBLE_EQ(ladder.rungs[1].us, 1000 * number(outcome, "thread_ms"));
  EXPECT_EQ(ladder.rungs[2].us, number(outcome, "launch_us"));
  EXPECT_NEAR(ladder.rungs[2].gb_per_s, 12e6 / ladder.rungs[2].us / 1e3, 1e-6);
  EXPECT_EQ(ladder.values, 1'000'000U);
  EXPECT_EQ(ladder.title, "One CPU core is measured, the GPU is a model");
}

TEST_F(GridStride, TheLadderSaysThatALaunchComputedFewerValuesThanTheOthers) {
  const Outcome outcome = run({{"way", "one"}});
  const auto& ladder = testing::figure<Ladder>(outcome);
  EXPECT_EQ(ladder.values, 0U) << "not one number for all";
  EXPECT_EQ(ladder.title, "This launch computes 8,192 values, the others 1,000,000 (the GPU is a model)");
  EXPECT_NEAR(ladder.rungs[2].gb_per_s, 12 * 8192 / ladder.rungs[2].us / 1e3, 1e-6);
}

}  // namespace
}  // namespace warpbook::lessons
