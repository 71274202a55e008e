// Lesson 09: what the course promises, on the virtual GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu/virtual/profiles.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;

class LaunchConfigurationLesson : public LessonRun {
 protected:
  LaunchConfigurationLesson() : LessonRun("09") {}

  /// Share of an A40's warps that blocks of so many threads fill, where threads and places for blocks are all that they need.
  [[nodiscard]] static double filled(int threads) {
    const gpu::Profile& a40 = *gpu::find_profile("A40");
    const int warps = (threads + 31) / 32;
    const int blocks = std::min(a40.blocks_per_multiprocessor, a40.warps_per_multiprocessor / warps);
    return 100.0 * blocks * warps / a40.warps_per_multiprocessor;
  }
};

TEST_F(LaunchConfigurationLesson, BlocksOf1024FillTwoThirdsOfAnA40) {
  EXPECT_NEAR(number(run({}), "a40_occupancy"), 100.0 * 1024 / 1536, 1e-9);
}

TEST_F(LaunchConfigurationLesson, AnA40HoldsWholeBlocksOnly) {
  for (const int threads : {32, 48, 256, 768, 1024}) {
    EXPECT_NEAR(number(run({{"threads", std::to_string(threads)}}), "a40_occupancy"), filled(threads), 1e-9) << threads;
  }
}

TEST_F(LaunchConfigurationLesson, EveryLaunchIsRightAndNothingIsFound) {
  for (const char* threads : {"1024", "48", "33"}) {
    for (const char* items : {"1", "8"}) {
      for (const char* blocks : {"0", "3"}) {
        const Outcome outcome = run({{"threads", threads}, {"items", items}, {"blocks", blocks}});
        EXPECT_EQ(number(outcome, "wrong"), 0) << threads << ", " << items << ", " << blocks;
        for (const gpu::Finding& finding : outcome.report.findings) {
          EXPECT_GT(finding.kind, gpu::FindingKind::sync) << finding.message;
        }
      }
    }
  }
}

TEST_F(LaunchConfigurationLesson, TheSweepHasABarForEverySizeAndTheChosenOneIsItsLaunch) {
  const Outcome outcome = run({{"threads", "100"}});
  const auto& ladder = testing::figure<Ladder>(outcome);
  ASSERT_EQ(ladder.rungs.size(), 11U) << "ten sizes and the chosen one";
  EXPECT_EQ(ladder.rungs[ladder.chosen].label, "100 threads");
  EXPECT_EQ(ladder.rungs[ladder.chosen].us, number(outcome, "us"));
  double best = ladder.rungs[0].us;
  for (const auto& rung : ladder.rungs) {
    EXPECT_GT(rung.us, 0) << rung.label;
    best = std::min(best, rung.us);
  }
  EXPECT_NEAR(number(outcome, "of_best"), 100 * best / number(outcome, "us"), 1e-9);
}

TEST_F(LaunchConfigurationLesson, IndependentElementsHelpFewWarpsWithoutMoreOccupancy) {
  const Outcome one = run({{"threads", "32"}, {"blocks", "40"}, {"items", "1"}});
  const Outcome eight = run({{"threads", "32"}, {"blocks", "40"}, {"items", "8"}});
  EXPECT_LE(number(eight, "occupancy"), number(one, "occupancy"));
  EXPECT_GT(number(eight, "registers"), number(one, "registers"));
  EXPECT_GT(number(one, "us"), 3 * number(eight, "us"));
}

}  // namespace
}  // namespace warpbook::lessons
