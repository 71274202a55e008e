// Lesson 07: what the curriculum promises, on the virtual GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

class HistogramLesson : public LessonRun {
 protected:
  HistogramLesson() : LessonRun("07") {}
};

TEST_F(HistogramLesson, AtomicsCountEveryValueWhereverTheBinsLive) {
  for (const char* atomics : {"global", "shared", "copied"}) {
    for (const char* values : {"normal", "uniform", "one"}) {
      const Outcome outcome = run({{"atomics", atomics}, {"values", values}});
      EXPECT_EQ(number(outcome, "missing"), 0) << atomics << ", " << values;
      EXPECT_EQ(number(outcome, "wrong_bins"), 0) << atomics << ", " << values;
      EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found);
    }
  }
}

TEST_F(HistogramLesson, PlusOnGlobalBinsIsAWallOfRed) {
  const Outcome outcome = run({{"atomics", "none"}, {"where", "global"}});
  const auto& chart = testing::figure<BinChart>(outcome);
  for (std::size_t b = 0; b < chart.counted.size(); ++b) {
    EXPECT_LT(chart.counted[b], 10) << b;  // a thread counts one or two; blocks that begin later build on what has landed
    if (chart.reference[b] > 100) {
      EXPECT_GE(chart.counted[b], 2) << b;
    }
  }
  EXPECT_EQ(number(outcome, "counted") + number(outcome, "missing") + number(outcome, "outside"), 10'000);
  const auto races = testing::findings(outcome, gpu::FindingKind::race);
  ASSERT_FALSE(races.empty());
  EXPECT_EQ(races[0].space, "global");
  EXPECT_NE(line(races[0].at.line).find("mine[b] += 1"), std::string::npos);
}

TEST_F(HistogramLesson, PlusOnSharedBinsSaturatesTheFullOnesAndSparesTheSparse) {
  const Outcome outcome = run({{"atomics", "none"}, {"where", "shared"}});
  const auto& chart = testing::figure<BinChart>(outcome);
  std::int64_t full_low = 10'000, full_high = 0;
  for (std::size_t b = 0; b < chart.counted.size(); ++b) {
    if (chart.reference[b] > 1000) {
      full_low = std::min(full_low, chart.counted[b]);
      full_high = std::max(full_high, chart.counted[b]);
    }
    if (chart.reference[b] < 10) {
      EXPECT_GE(chart.counted[b] + 1, chart.reference[b]) << b;
    }
  }
  EXPECT_LT(full_high, 500) << "at most one a warp and round";
  EXPECT_LT(full_high - full_low, full_high / 4) << "they level off, however full";
  const auto races = testing::findings(outcome, gpu::FindingKind::race);
  ASSERT_FALSE(races.empty());
  EXPECT_EQ(races[0].space, "shared");
}

TEST_F(HistogramLesson, OneHotBinSerialises) {
  const Outcome hot = run({{"atomics", "global"}, {"values", "one"}});
  const Outcome spread = run({{"atomics", "global"}, {"values", "uniform"}});
  const auto& lanes = testing::figure<BinLanes>(hot);
  EXPECT_EQ(lanes.requests, 313U) << "10,000 values, 32 a request";
  EXPECT_NEAR(lanes.mean_passes, 10'000.0 / 313, 1e-9);
  EXPECT_EQ(lanes.rows.at(0).passes, 32U);
  EXPECT_LT(testing::figure<BinLanes>(spread).mean_passes, 10);
  EXPECT_GT(number(hot, "cycles"), number(spread, "cycles"));
}

TEST_F(HistogramLesson, LanesOfARequestAddUp) {
  for (const Settings& settings : {Settings{{"atomics", "none"}, {"where", "shared"}}, Settings{{"atomics", "shared"}}}) {
    const Outcome outcome = run(settings);
    const auto& lanes = testing::figure<BinLanes>(outcome);
    ASSERT_EQ(lanes.rows.size(), 8U);
    for (const BinLanes::Row& row : lanes.rows) {
      EXPECT_LE(std::accumulate(row.lanes.begin(), row.lanes.end(), 0), 32);
      EXPECT_EQ(row.passes, *std::max_element(row.lanes.begin(), row.lanes.end()));
    }
    EXPECT_EQ(lanes.requests, 313U) << "neither the zeroing nor the merge is a request to count";
  }
}

TEST_F(HistogramLesson, WhatLiesOutsideIsNotCounted) {
  const Outcome outcome = run({{"atomics", "global"}, {"range", "1"}});
  EXPECT_NEAR(number(outcome, "outside"), 3173, 150) << "31.7 % of a normal distribution lie beyond one deviation";
  EXPECT_EQ(number(outcome, "missing"), 0);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::memory], gpu::Observation::none_found);
}

TEST_F(HistogramLesson, CopiesPutLanesThatWantTheSameBinAtDifferentAddresses) {
  for (const int copies : {1, 2, 3, 8, 32}) {
    const Outcome outcome = run({{"atomics", "copied"}, {"values", "one"}, {"copies", std::to_string(copies)}});
    EXPECT_EQ(number(outcome, "missing"), 0);
    EXPECT_EQ(number(outcome, "wrong_bins"), 0);
    const auto& lanes = testing::figure<BinLanes>(outcome);
    EXPECT_EQ(lanes.rows.at(0).passes, (32U + copies - 1) / copies);
    EXPECT_EQ(std::accumulate(lanes.rows[0].lanes.begin(), lanes.rows[0].lanes.end(), 0), 32) << "the lanes want what they want";
    EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found);
  }
  const Outcome many = run({{"atomics", "copied"}, {"bins", "1024"}, {"copies", "32"}});
  EXPECT_EQ(number(many, "copies"), 12) << "of 1024 bins fit into 48 KiB";
  EXPECT_NE(many.note.find("12 copies"), std::string::npos) << many.note;
}

TEST_F(HistogramLesson, TheFastKernelCountsAnyNumberOfValues) {
  for (const int n : {1, 2, 3, 4, 5, 127, 1001}) {
    std::vector<float> x;
    std::vector<std::int32_t> expected(7);
    for (int i = 0; i < n; ++i) {
      x.push_back(static_cast<float>(i * 37 % 91) - 10.5F);
      if (x.back() >= 0 && x.back() < 70) ++expected[static_cast<std::size_t>(x.back() / 10)];
    }
    for (const gpu::Dim3 shape : {gpu::Dim3{1, 1, 1}, gpu::Dim3{3, 33, 1}, gpu::Dim3{2, 64, 1}}) {
      Host host(device(), {.kernel_file = "histogram.cu", .kernel_text = kernel(), .defines = {{"FAST", "1"}, {"COPIES", "5"}}});
      auto bins = host.zeros<std::int32_t>("bins", {7});
      LaunchOptions options;
      options.dynamic_shared_bytes = 7 * 5 * 4;
      options.observe = gpu::Observe::all();
      auto report = host.launch("histogram", {shape.x}, {shape.y},
                                {*host.to_device<float>("x", x), gpu::Scalar::of(n), gpu::Scalar::of(0.0F), gpu::Scalar::of(70.0F),
                                 *bins, gpu::Scalar::of(7)},
                                options);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_TRUE(report->ok()) << say(report->message);
      for (const gpu::Finding& finding : report->findings)
        EXPECT_GT(finding.kind, gpu::FindingKind::sync) << in_english(finding.message);
      EXPECT_EQ(*host.copy_to_host<std::int32_t>(*bins), expected) << n << ", " << shape.x << " × " << shape.y;
    }
  }
}

TEST_F(HistogramLesson, TheCornersOfItsControls) {
  for (const char* atomics : {"global", "shared", "copied"}) {
    EXPECT_EQ(number(run({{"atomics", atomics}, {"bins", "1024"}}), "missing"), 0) << atomics;
    EXPECT_EQ(number(run({{"atomics", atomics}, {"bins", "2"}, {"threads", "1"}, {"blocks", "1"}}), "missing"), 0) << atomics;
    EXPECT_EQ(number(run({{"atomics", atomics}, {"threads", "1024"}, {"blocks", "256"}}), "missing"), 0) << atomics;
    EXPECT_EQ(number(run({{"atomics", atomics}, {"threads", "33"}, {"blocks", "7"}, {"bins", "37"}}), "missing"), 0) << atomics;
  }
}

}  // namespace
}  // namespace warpbook::lessons
