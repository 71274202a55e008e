// Lesson 13: what the course promises, on the virtual GPU, against sums made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <vector>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

class WarpsTalk : public LessonRun {
 protected:
  WarpsTalk() : LessonRun("13") {}
  static const LaneSteps& steps(const Outcome& outcome) { return testing::figure<LaneSteps>(outcome); }
};

/// What lanes first to last begin with.
int sum_of(const LaneSteps& steps, int first, int last) {
  return std::accumulate(steps.begin.begin() + first, steps.begin.begin() + last + 1, 0);
}

TEST_F(WarpsTalk, LaneTwentyReceivesItsOwnValueByDown16) {
  const Outcome outcome = run({});
  const LaneSteps& figure = steps(outcome);
  EXPECT_EQ(figure.begin[4], 3) << "as the page says";
  EXPECT_EQ(figure.begin[20], 2);
  EXPECT_EQ(number(outcome, "lane_20"), 2);
  ASSERT_EQ(figure.steps.size(), 5U);
  EXPECT_EQ(figure.steps[0].label, "down by 16");
  EXPECT_EQ(figure.steps[0].from[20], 20);
  EXPECT_EQ(figure.steps[0].from[4], 20);
  EXPECT_EQ(figure.steps[0].holds[20], 4) << "its own, twice";
}

TEST_F(WarpsTalk, DownLeavesTheSumInLaneZeroAlone) {
  const Outcome outcome = run({});
  const LaneSteps& figure = steps(outcome);
  // A model of the five steps in plain C++: each lane reads the old values.
  std::array<int, 32> x{};
  std::copy(figure.begin.begin(), figure.begin.end(), x.begin());
  for (std::size_t i = 0; i < 5; ++i) {
    const int gap = 16 >> i;
    const std::array<int, 32> old = x;
    for (int lane = 0; lane < 32; ++lane) {
      const int from = lane + gap < 32 ? lane + gap : lane;
      EXPECT_EQ(figure.steps[i].from[lane], from);
      EXPECT_EQ(figure.steps[i].received[lane], old[from]);
      x[lane] += old[from];
      EXPECT_EQ(figure.steps[i].holds[lane], x[lane]) << i << " " << lane;
    }
  }
  EXPECT_EQ(number(outcome, "sum"), sum_of(figure, 0, 31));
  EXPECT_EQ(number(outcome, "holders"), 1);
  EXPECT_EQ(outcome.marked.at("holders"), (std::set<std::uint32_t>{0}));
  EXPECT_EQ(number(outcome, "wrong"), 0);
  EXPECT_EQ(std::count(figure.place.begin(), figure.place.end(), -1), 31);
  EXPECT_EQ(figure.stored[0], sum_of(figure, 0, 31));
}

TEST_F(WarpsTalk, AButterflyGivesEveryLaneTheSum) {
  const Outcome outcome = run({{"pattern", "butterfly"}});
  const LaneSteps& figure = steps(outcome);
  EXPECT_EQ(number(outcome, "holders"), 32);
  EXPECT_EQ(number(outcome, "lane_20"), 3) << "lane 4's";
  EXPECT_EQ(number(outcome, "wrong"), 0);
  for (std::size_t i = 0; i < 5; ++i) {
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(figure.steps[i].from[lane], lane ^ (16 >> i));
  }
  for (const int held : figure.steps[4].holds) EXPECT_EQ(held, sum_of(figure, 0, 31));
}

TEST_F(WarpsTalk, APrefixSumDoublesItsReachInEachStep) {
  for (const char* const n : {"32", "24", "21"}) {
    for (const char* const absent : {"add_0", "return", "mask"}) {
      const Outcome outcome = run({{"pattern", "prefix"}, {"values", n}, {"absent", absent}});
      const LaneSteps& figure = steps(outcome);
      const int staying = absent == std::string("add_0") ? 32 : std::stoi(n);
      for (std::size_t i = 0; i < 5; ++i) {
        for (int lane = 0; lane < staying; ++lane)
          EXPECT_EQ(figure.steps[i].holds[lane], sum_of(figure, std::max(lane - (2 << i) + 1, 0), lane));
        EXPECT_EQ(std::popcount(figure.steps[i].there), staying);
      }
      EXPECT_EQ(number(outcome, "wrong"), 0) << n << " " << absent;
      EXPECT_EQ(number(outcome, "undefined"), 0) << "nobody reads from a lane above";
      EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::sync).empty());
    }
  }
}

TEST_F(WarpsTalk, VotesTellEveryLaneAndCompactInOrder) {
  const Outcome outcome = run({{"pattern", "votes"}});
  const LaneSteps& figure = steps(outcome);
  std::uint32_t ballot = 0;
  std::vector<int> passed;
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(figure.steps[3].holds[lane], static_cast<int>(passed.size())) << "yes below lane " << lane;
    EXPECT_EQ(figure.place[lane], figure.begin[lane] > 1 ? static_cast<int>(passed.size()) : -1);
    if (figure.begin[lane] <= 1) continue;
    ballot |= 1U << lane;
    passed.push_back(figure.begin[lane]);
    EXPECT_EQ(figure.stored[lane], figure.begin[lane]);
  }
  EXPECT_EQ(number(outcome, "ballot"), ballot);
  for (const int received : figure.steps[2].received) EXPECT_EQ(static_cast<std::uint32_t>(received), ballot);
  EXPECT_EQ(number(outcome, "any"), 1);
  EXPECT_EQ(number(outcome, "all"), 0);
  EXPECT_EQ(number(outcome, "wrong"), 0);
  for (const char* const absent : {"return", "mask"}) {  // a vote is defined where lanes of the mask have returned
    const Outcome fewer = run({{"pattern", "votes"}, {"values", "21"}, {"absent", absent}});
    EXPECT_EQ(number(fewer, "wrong"), 0);
    EXPECT_EQ(number(fewer, "ballot"), ballot & ((1U << 21) - 1));
    EXPECT_TRUE(testing::findings(fewer, gpu::FindingKind::sync).empty());
  }
}

TEST_F(WarpsTalk, NoShuffleLeavesATile) {
  const std::array<int, 2> sizes{4, 8};
  for (const int size : sizes) {
    const Outcome outcome = run({{"pattern", "tiles"}, {"tile", std::to_string(size)}});
    const LaneSteps& figure = steps(outcome);
    EXPECT_EQ(number(outcome, "steps"), std::countr_zero(static_cast<unsigned>(size)));
    EXPECT_EQ(number(outcome, "wrong"), 0) << size;
    for (const LaneSteps::Step& step : figure.steps) {
      for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(step.from[lane] / size, lane / size);
    }
    for (int tile = 0; tile < 32 / size; ++tile) {
      EXPECT_EQ(figure.place[tile * size], tile);
      EXPECT_EQ(figure.stored[tile * size], sum_of(figure, tile * size, (tile + 1) * size - 1));
    }
    if (size == 8) {
      EXPECT_EQ(figure.steps[0].from[7], 7) << "lane 7 has no source, as the page says";
    }
  }
}

TEST_F(WarpsTalk, AFullMaskAfterAReturnReadsWhatIsUndefined) {
  for (const char* const pattern : {"down", "butterfly"}) {
    const Outcome outcome = run({{"pattern", pattern}, {"values", "24"}, {"absent", "return"}});
    EXPECT_GT(number(outcome, "undefined"), 0) << pattern;
    EXPECT_NE(outcome.note.find("undefined"), std::string::npos);
    const auto found = testing::findings(outcome, gpu::FindingKind::sync);
    ASSERT_FALSE(found.empty()) << pattern;
    EXPECT_NE(line(found[0].at.line).find("_sync(mask, x, gap)"), std::string::npos);
  }
  // Step 1: lanes 8 to 15 read lanes 24 to 31 and back nobody does; step 2: lanes 16 to 23.
  const Outcome outcome = run({{"pattern", "butterfly"}, {"values", "24"}, {"absent", "return"}});
  EXPECT_EQ(steps(outcome).steps[0].undefined, 0x0000ff00U);
  EXPECT_EQ(steps(outcome).steps[1].undefined, 0x00ff0000U);
  EXPECT_EQ(number(outcome, "undefined"), 16);
  EXPECT_EQ(number(outcome, "wrong"), 8) << "of lanes 16 to 23; here a lane that left still has its 0";
}

TEST_F(WarpsTalk, TheRightMaskIsNotEnoughForAButterfly) {
  const Outcome outcome = run({{"pattern", "butterfly"}, {"values", "24"}, {"absent", "mask"}});
  const LaneSteps& figure = steps(outcome);
  const int whole = sum_of(figure, 0, 23), lacking = sum_of(figure, 0, 7) + sum_of(figure, 16, 23);
  for (int lane = 0; lane < 24; ++lane) EXPECT_EQ(figure.steps[4].holds[lane], lane < 16 ? whole : lacking) << lane;
  EXPECT_EQ(number(outcome, "wrong"), 8);
  EXPECT_EQ(number(outcome, "holders"), 16);
  EXPECT_FALSE(testing::findings(outcome, gpu::FindingKind::sync).empty()) << "as the page says";
}

TEST_F(WarpsTalk, WhoStaysAndAddsZeroIsRightWithAnyNumberOfValues) {
  for (const char* const pattern : {"down", "butterfly", "votes"}) {
    for (const char* const n : {"21", "31"}) {
      const Outcome outcome = run({{"pattern", pattern}, {"values", n}});
      EXPECT_EQ(number(outcome, "wrong"), 0) << pattern << " " << n;
      EXPECT_EQ(number(outcome, "undefined"), 0);
      EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::sync).empty());
      EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::memory).empty());
    }
  }
  // Summing down with the mask of those that stay is right: what is undefined is not added.
  EXPECT_EQ(number(run({{"values", "24"}, {"absent", "mask"}}), "wrong"), 0);
}

}  // namespace
}  // namespace warpbook::lessons
