// Lesson 12: what the curriculum promises, on the virtual GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

constexpr const char* steps[] = {"in_place", "split", "strided", "halves", "shuffle", "fast", "cub"};

class ReductionLesson : public LessonRun {
 protected:
  ReductionLesson() : LessonRun("12") {}

  /// A rung of the shipped kernel on values of the test's own.
  struct Summed {
    double sum = 0;
    gpu::LaunchReport report;
  };
  [[nodiscard]] Summed sum_on_device(int step, const std::vector<float>& values, std::uint32_t threads, std::uint32_t blocks) {
    Host host(device(), {.kernel_file = "reduction.cu",
                         .kernel_text = kernel(),
                         .defines = {{"VERSION", std::to_string(step)}, {"THREADS", std::to_string(threads)}}});
    auto data = host.to_device<float>("data", values);
    auto out = host.zeros<float>("out", {blocks});
    LaunchOptions options;
    options.dynamic_shared_bytes = step >= 1 && step <= 3 ? threads * 4 : 0;
    options.observe = gpu::Observe::all();
    auto report = host.launch("sum_blocks", {blocks}, {threads},
                              {*data, gpu::Scalar::of(static_cast<std::int32_t>(values.size())), *out}, options);
    if (!report) {
      ADD_FAILURE() << report.error().message;
      return {};
    }
    Summed summed{.report = std::move(*report)};
    const auto sums = host.copy_to_host<float>(*out);
    for (const float sum : *sums) summed.sum += double{sum};
    return summed;
  }
};

TEST_F(ReductionLesson, EveryRungSumsAnySizeWithAnyBlockAndNothingIsFound) {
  std::mt19937 random(11);
  for (const std::uint32_t n : {1U, 2U, 3U, 5U, 31U, 33U, 127U, 129U, 1000U, 4099U}) {
    std::vector<float> values(n);
    long double exact = 0, magnitude = 0;
    for (float& value : values) {
      value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      exact += value;
      magnitude += std::abs(value);
    }
    for (const std::uint32_t threads : {32U, 96U, 128U, 224U, 1024U}) {
      for (int step = 0; step < 7; ++step) {
        const std::uint32_t blocks = step >= 5 ? 1 + n % 3 : (n + threads - 1) / threads;
        const Summed summed = sum_on_device(step, values, threads, blocks);
        ASSERT_TRUE(summed.report.ok()) << say(summed.report.message);
        // Higham (SIAM J. Sci. Comput. 14, 1993): a sum in any order is off by at most depth · ε · Σ|x|; no order here is deeper.
        const double depth = 16 + n / (4.0 * threads);
        EXPECT_NEAR(summed.sum, double(exact), depth * 0x1p-24 * double(magnitude) + 1e-12) << n << ", " << threads << ", " << step;
        for (const gpu::Finding& finding : summed.report.findings) {
          EXPECT_GT(finding.kind, gpu::FindingKind::sync)
              << n << ", " << threads << ", " << step << ": " << in_english(finding.message);
        }
      }
    }
  }
}

TEST_F(ReductionLesson, TheSumsAreJudgedByFloat64) {
  for (const char* step : steps) {
    const Outcome outcome = run({{"step", step}, {"n", "5001"}});
    const double exact = number(outcome, "exact_sum");
    EXPECT_NEAR(exact, 0, 5 * std::sqrt(5001.0)) << "of standard normals";
    EXPECT_NEAR(number(outcome, "gpu_error"), std::abs(number(outcome, "gpu_sum") - exact), 1e-12);
    EXPECT_LT(number(outcome, "gpu_error"), 1e-3) << step;
    EXPECT_NEAR(number(outcome, "cpu_error"), std::abs(number(outcome, "cpu_sum") - exact), 1e-12);
    EXPECT_GT(number(outcome, "cpu_error"), 0) << "float32 rounds";
  }
}

TEST_F(ReductionLesson, AtItsUsualSizeTheTreeBeatsTheLoop) {
  for (const char* step : steps) {
    const Outcome outcome = run({{"step", step}});
    EXPECT_LT(number(outcome, "gpu_error"), number(outcome, "cpu_error")) << step;
  }
}

TEST_F(ReductionLesson, EachRungIsFasterThanTheOneBelowAndNoneBeatsTheMemory) {
  const Outcome outcome = run({{"warps", "8"}, {"n", "130915"}});
  const auto& ladder = testing::figure<Ladder>(outcome);
  ASSERT_EQ(ladder.rungs.size(), 7U);
  EXPECT_TRUE(ladder.model);
  EXPECT_EQ(ladder.limit_gb_per_s, device().info().memory_gb_per_s);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(ladder.rungs[i].gb_per_s * ladder.rungs[i].us, 4e-3 * 130'915, 1e-6);
    EXPECT_LT(ladder.rungs[i].gb_per_s, ladder.limit_gb_per_s) << ladder.rungs[i].label;
    if (i > 0 && i < 6) {
      EXPECT_GT(ladder.rungs[i].gb_per_s, ladder.rungs[i - 1].gb_per_s) << ladder.rungs[i].label;
    }
  }
}

TEST_F(ReductionLesson, OnlyTheLibraryIsCompiledForTheSizeOfTheBlock) {
  const auto threads = [&](const Settings& settings) {
    for (const auto& [name, value] : macros_of(lesson(), values(settings))) {
      if (name == "THREADS") return value;
    }
    return std::string("none");
  };
  EXPECT_EQ(threads({{"step", "cub"}, {"warps", "8"}}), "256") << "what the editor compiles, too";
  EXPECT_EQ(threads({{"step", "fast"}, {"warps", "8"}}), "0");
}

TEST_F(ReductionLesson, TheLibrarysSumOfABlockIsAsFastAsTheFastKernelsOwn) {
  for (const char* warps : {"1", "8", "32"}) {
    const Outcome outcome = run({{"warps", warps}, {"n", "130915"}, {"step", "cub"}});
    const auto& rungs = testing::figure<Ladder>(outcome).rungs;
    EXPECT_NEAR(rungs[6].gb_per_s, rungs[5].gb_per_s, 0.15 * rungs[5].gb_per_s) << warps;
    for (const gpu::Finding& finding : outcome.report.findings)
      EXPECT_GT(finding.kind, gpu::FindingKind::sync) << in_english(finding.message);
  }
}

TEST_F(ReductionLesson, OnlyTheDivergentRungSplitsItsTreesWarps) {
  for (const char* step : {"split", "strided", "halves"}) {
    const Outcome outcome = run({{"step", step}, {"n", "4096"}});
    bool tree_splits = false;
    for (const gpu::Finding& finding : testing::findings(outcome, gpu::FindingKind::divergence)) {
      tree_splits = tree_splits || line(finding.at.line).find("tid & (2 * gap - 1)") != std::string::npos;
    }
    EXPECT_EQ(tree_splits, step == std::string("split")) << step;
  }
}

TEST_F(ReductionLesson, OnlyTheStridedRungMeetsBankConflictsOnePassAWarpOfTheBlock) {
  for (const char* step : {"split", "strided", "halves", "shuffle", "fast", "cub"}) {
    const bool strided = step == std::string("strided");
    const Outcome outcome = run({{"step", step}, {"warps", "16"}, {"n", "4096"}});
    EXPECT_EQ(testing::findings(outcome, gpu::FindingKind::banks).empty(), !strided) << step;
    EXPECT_EQ(number(outcome, "worst_cost"), strided ? 16 : 1) << step;
  }
  const Outcome outcome = run({{"step", "strided"}, {"warps", "4"}, {"n", "4096"}});
  std::vector<std::uint32_t> passes;
  for (const auto& level : testing::figure<TreeLevels>(outcome).levels) passes.push_back(level.cost);
  EXPECT_EQ(passes, (std::vector<std::uint32_t>{1, 2, 4, 4, 4, 4, 2, 1}));
  const auto found = testing::findings(outcome, gpu::FindingKind::banks);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(in_english(found[0].message).find("`s`"), std::string::npos) << in_english(found[0].message);
}

TEST_F(ReductionLesson, LevelByLevelHalfOfTheLanesGoHome) {
  const Outcome outcome = run({{"step", "halves"}, {"n", "4096"}});
  const auto& tree = testing::figure<TreeLevels>(outcome);
  ASSERT_EQ(tree.levels.size(), 8U) << "all 128 store their value, then 64 a sum, 32 …";
  std::uint32_t lanes = 128;
  for (const auto& level : tree.levels) {
    for (std::uint32_t w = 0; w < 4; ++w) {
      const std::uint32_t here = lanes > 32 * w ? std::min(32U, lanes - 32 * w) : 0;
      EXPECT_EQ(level.lanes[w], here == 32 ? 0xffffffffU : (1U << here) - 1);
    }
    lanes /= 2;
  }
}

TEST_F(ReductionLesson, EveryOtherLaneKeepsAllWarpsBusy) {
  const auto outcome = run({{"step", "split"}, {"n", "4096"}});
  const auto& levels = testing::figure<TreeLevels>(outcome).levels;
  ASSERT_EQ(levels.size(), 8U);
  const std::uint32_t masks[] = {0xffffffff, 0x55555555, 0x11111111, 0x01010101, 0x00010001, 1};
  for (std::size_t i = 0; i < 6; ++i) {
    for (const std::uint32_t mask : levels[i].lanes) EXPECT_EQ(mask, masks[i]) << i;
  }
}

TEST_F(ReductionLesson, ShufflesLeaveOneStoreAWarp) {
  for (const char* step : {"shuffle", "fast", "cub"}) {
    const Outcome outcome = run({{"step", step}, {"n", "4096"}});
    const auto& levels = testing::figure<TreeLevels>(outcome).levels;
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0].lanes, (std::vector<std::uint32_t>{1, 1, 1, 1}));
  }
}

TEST_F(ReductionLesson, BeyondWhatTheModelFollowsTheSumIsStillWhole) {
  const Outcome outcome = run({{"step", "fast"}, {"n", "1000003"}, {"warps", "8"}});
  EXPECT_LT(number(outcome, "gpu_error"), 0.01);
  EXPECT_EQ(testing::figure<Ladder>(outcome).values, 1U << 18);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found);
}

TEST_F(ReductionLesson, AnEditThatBreaksAnotherRungLeavesOnlyItsBarOut) {
  std::string text = kernel();
  const std::string code = "const int at = 2 * gap * tid;";
  text.replace(text.find(code), code.size(), "const int at = nothing;");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}});
  const Result<Outcome> outcome = lesson().run(host, values({{"step", "halves"}, {"n", "4096"}}), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto& rungs = testing::figure<Ladder>(*outcome).rungs;
  EXPECT_EQ(rungs[2].gb_per_s, 0);
  EXPECT_GT(rungs[3].gb_per_s, 0);
  const Result<Outcome> broken = lesson().run(host, values({{"step", "strided"}, {"n", "4096"}}), nullptr);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, "compile_error");
}

TEST_F(ReductionLesson, Cancels) {
  gpu::Job job;
  job.cancelled = true;
  const Result<Outcome> outcome = try_run({}, &job);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "cancelled");
}

}  // namespace
}  // namespace warpbook::lessons
