// Lesson 06: what the curriculum promises, on the virtual GPU.
#include <gtest/gtest.h>

#include "lessons/06_diffusion/field.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

class DiffusionLesson : public LessonRun {
 protected:
  DiffusionLesson() : LessonRun("06") {}

  [[nodiscard]] std::unique_ptr<Live> go_live(Host& host, const Settings& settings) {
    Result<std::unique_ptr<Live>> live = lesson().live(host, values(settings));
    EXPECT_TRUE(live) << (live ? "" : live.error().message);
    return live ? std::move(*live) : nullptr;
  }
  Host host_{device(), {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}}};
};

TEST_F(DiffusionLesson, OneStepOf2000EqualsTheReference) {
  const Outcome outcome = run({{"steps", "1"}});
  EXPECT_LE(number(outcome, "max_error"), 1e-5);
  EXPECT_EQ(number(outcome, "wrong_cells"), 0);
  EXPECT_EQ(number(outcome, "races"), 0);
  EXPECT_NEAR(number(outcome, "sum_lost"), 0, 0.05);
  EXPECT_GT(number(outcome, "step_ms"), 0);
  EXPECT_NEAR(number(outcome, "limit_ms"), 48e6 / (device().info().memory_gb_per_s * 1e6), 1e-6);
}

TEST_F(DiffusionLesson, AnySizeAndAnyTile) {
  for (const char* tile : {"4", "7", "8", "13", "32"}) {
    for (const char* side : {"64", "101", "300"}) {
      const Outcome outcome = run({{"side", side}, {"tile", tile}, {"steps", "3"}});
      EXPECT_LE(number(outcome, "max_error"), 1e-5) << side << ", " << tile;
      EXPECT_NEAR(number(outcome, "sum_lost"), 0, 0.01) << side << ", " << tile;
      EXPECT_TRUE(outcome.report.findings.empty() || testing::findings(outcome, gpu::FindingKind::memory).empty());
      EXPECT_EQ(number(outcome, "races"), 0) << side << ", " << tile;
    }
  }
}

TEST_F(DiffusionLesson, TheFastKernelEqualsTheReferenceBitForBitWithoutAFinding) {
  for (const char* side : {"64", "101", "126", "127", "128", "129", "131", "300"}) {
    for (const char* coefficient : {"0.25", "0.1"}) {
      const Outcome outcome = run({{"side", side}, {"kernel", "fast"}, {"coefficient", coefficient}, {"steps", "2"}});
      EXPECT_EQ(number(outcome, "wrong_cells"), 0) << side;
      EXPECT_NEAR(number(outcome, "sum_lost"), 0, 0.01) << side;
      EXPECT_TRUE(outcome.report.findings.empty()) << side << ": " << in_english(outcome.report.findings[0].message);
      const Outcome tiled = run({{"side", side}, {"coefficient", coefficient}, {"steps", "2"}});
      EXPECT_EQ(*testing::figure<Field>(outcome).heat, *testing::figure<Field>(tiled).heat) << side;
      EXPECT_EQ(*testing::figure<Field>(outcome).laplacian, *testing::figure<Field>(tiled).laplacian) << side;
    }
  }
}

TEST_F(DiffusionLesson, TheFastKernelNeedsLessThanAThirdOfTheInstructions) {
  const Settings whole_field = {{"steps", "1"}};
  const std::uint64_t tiled = run(whole_field).report.thread_instructions;
  EXPECT_LT(3 * run({{"steps", "1"}, {"kernel", "fast"}}).report.thread_instructions, tiled);
}

TEST_F(DiffusionLesson, TheFastKernelHasNothingToSynchroniseAndNothingInPlace) {
  const Outcome outcome = run({{"side", "100"}, {"kernel", "fast"}, {"sync", "off"}, {"update", "in_place"}, {"steps", "2"}});
  EXPECT_EQ(number(outcome, "wrong_cells"), 0);
  EXPECT_EQ(number(outcome, "races"), 0);
}

TEST_F(DiffusionLesson, WithoutTheBarrierTheReportHasTheRaceAndTheFieldItsSeams) {
  const Outcome outcome = run({{"side", "256"}, {"sync", "off"}, {"steps", "1"}});
  const auto races = testing::findings(outcome, gpu::FindingKind::race);
  ASSERT_FALSE(races.empty());
  EXPECT_EQ(races[0].space, "shared");
  EXPECT_GT(number(outcome, "wrong_cells"), 0);
  EXPECT_GT(std::max(number(outcome, "error_along_tile_edges"), number(outcome, "error_inside_tiles")), 0.01);
}

TEST_F(DiffusionLesson, InPlaceBlocksRaceThroughTheHalo) {
  const Outcome outcome = run({{"side", "256"}, {"update", "in_place"}, {"steps", "1"}});
  const auto races = testing::findings(outcome, gpu::FindingKind::race);
  ASSERT_FALSE(races.empty());
  EXPECT_EQ(races[0].space, "global");
  ASSERT_TRUE(races[0].other);
  EXPECT_NE(races[0].at.block, races[0].other->block) << "between blocks";
}

TEST_F(DiffusionLesson, AboveAQuarterItBlowsUpAndBelowItDoesNot) {
  EXPECT_EQ(number(run({{"side", "128"}, {"coefficient", "0.4"}, {"steps", "60"}}), "blown_up"), 1);
  EXPECT_EQ(number(run({{"side", "128"}, {"coefficient", "0.25"}, {"steps", "60"}}), "blown_up"), 0);
}

TEST_F(DiffusionLesson, TheCheckerboardStaysAtAQuarterAndDiesBelow) {
  EXPECT_GT(number(run({{"side", "256"}, {"steps", "500"}}), "checkerboard"), 0.9);
  EXPECT_LT(number(run({{"side", "256"}, {"steps", "500"}, {"coefficient", "0.24"}}), "checkerboard"), 0.01);
}

TEST_F(DiffusionLesson, LiveStepsDrawsAndKeepsTheSum) {
  const auto live = go_live(host_, {{"side", "256"}, {"steps", "5"}});
  ASSERT_NE(live, nullptr);
  EXPECT_EQ(testing::figure<Field>(live->outcome()).step, 0U);
  EXPECT_FALSE(testing::figure<Field>(live->outcome()).heat->empty()) << "the start is there to be seen";
  gpu::Job job;
  ASSERT_TRUE(live->step(job));
  live->draw(0.5, 0.5, 0.05, 0.5);
  // Pictures are taken at most at the display's rate, so the one with the drawn heat may take some steps to come.
  Outcome outcome = live->outcome();
  for (int i = 0; i < 1000 && number(outcome, "drawn") == 0; ++i) {
    ASSERT_TRUE(live->step(job));
    outcome = live->outcome();
  }
  EXPECT_GT(number(outcome, "drawn"), 0);
  EXPECT_NEAR(number(outcome, "sum_lost"), 0, 0.05);
  const auto& field = testing::figure<Field>(outcome);
  EXPECT_GE(field.step, 10U);
  EXPECT_EQ(field.heat->size(), 256U * 256U);
  EXPECT_GT(field.laplacian_limit, 0);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found);
}

TEST_F(DiffusionLesson, LiveTakesUpWhatNeedsNoRestart) {
  const auto live = go_live(host_, {{"side", "128"}, {"steps", "1"}});
  ASSERT_NE(live, nullptr);
  const Values in_place = values({{"side", "128"}, {"steps", "1"}, {"update", "in_place"}, {"tile", "16"}});
  EXPECT_FALSE(live->needs_restart(in_place));
  EXPECT_TRUE(live->needs_restart(values({{"side", "256"}})));
  live->change(in_place);
  gpu::Job job;
  Outcome outcome;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(live->step(job));
    outcome = live->outcome();
    if (testing::figure<Field>(outcome).tile == 16) break;
  }
  EXPECT_EQ(testing::figure<Field>(outcome).tile, 16U);
  EXPECT_FALSE(testing::findings(outcome, gpu::FindingKind::race).empty());
}

TEST_F(DiffusionLesson, LiveStopsBetweenSteps) {
  const auto live = go_live(host_, {{"side", "64"}, {"steps", "500"}});
  ASSERT_NE(live, nullptr);
  gpu::Job job;
  job.cancelled = true;
  ASSERT_TRUE(live->step(job));
  EXPECT_EQ(testing::figure<Field>(live->outcome()).step, 0U);
}

}  // namespace
}  // namespace warpbook::lessons
