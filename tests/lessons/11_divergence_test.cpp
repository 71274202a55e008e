// Lesson 11: what the course promises, on the virtual GPU. Lanes and their loops are counted by hand, never read from the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

#include "lessons/11_divergence/lanes.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

constexpr double warps = 4096 / 32;
constexpr std::uint32_t all = ~0u, low = 0xffffu, high = 0xffff0000u;

class Divergence : public LessonRun {
 protected:
  Divergence() : LessonRun("11") {}
};

std::vector<std::uint32_t> masks_of(const LaneTimeline::Warp& warp) {
  std::vector<std::uint32_t> masks;
  for (const auto& stretch : warp.stretches) {
    if (masks.empty() || masks.back() != stretch.mask) masks.push_back(stretch.mask);
  }
  return masks;
}

std::uint64_t instructions_of(const LaneTimeline::Warp& warp, std::uint32_t mask) {
  std::uint64_t sum = 0;
  for (const auto& stretch : warp.stretches) sum += stretch.mask == mask ? stretch.instructions : 0;
  return sum;
}

/// A warp's lanes by its values, as the lesson makes them: 24 random bits each.
std::vector<float> values_of_lesson() {
  std::mt19937_64 random(1);
  std::vector<float> x(4096);
  for (float& value : x) value = static_cast<float>(random() >> 40) / 16'777'216.0F;
  return x;
}

TEST_F(Divergence, ByLaneAWarpGoesBothWaysOneAfterTheOther) {
  const Outcome outcome = run({});
  EXPECT_EQ(number(outcome, "split"), warps);
  EXPECT_EQ(number(outcome, "wrong"), 0);
  const auto found = testing::findings(outcome, gpu::FindingKind::divergence);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(line(found[0].at.line).find("if (k < 16)"), std::string::npos);

  const LaneTimeline figure = testing::figure<LaneTimeline>(outcome);
  EXPECT_EQ(figure.launched, warps);
  ASSERT_EQ(figure.warps.size(), 2U);
  for (const LaneTimeline::Warp& warp : figure.warps) {
    const auto masks = masks_of(warp);
    ASSERT_EQ(masks.size(), 4U) << "together, one way, the other way, together";
    EXPECT_EQ(masks.front(), all);
    EXPECT_EQ(masks.back(), all);
    EXPECT_EQ((std::set{masks[1], masks[2]}), (std::set{low, high}));
    EXPECT_GE(instructions_of(warp, low), 200U) << "an instruction a step at least";
    EXPECT_GE(instructions_of(warp, high), 200U);
    EXPECT_EQ(instructions_of(warp, low) + instructions_of(warp, high) + instructions_of(warp, all), warp.instructions);
  }
  EXPECT_EQ(figure.warps[0].block, 0U);
  EXPECT_EQ(figure.warps[0].warp, 0U);
  EXPECT_EQ(figure.warps[1].block, 3U) << "all have as many instructions: the last one";
  EXPECT_EQ(figure.warps[1].warp, 31U);
}

TEST_F(Divergence, ByWarpNoneIsSplitAndTheSameStepsTakeHalfAsLong) {
  const Outcome lane = run({}), warp = run({{"by", "warp"}});
  EXPECT_EQ(number(warp, "split"), 0);
  EXPECT_EQ(number(warp, "lanes_on"), 32);
  EXPECT_EQ(number(warp, "times"), 1);
  EXPECT_EQ(number(warp, "wrong"), 0);
  EXPECT_TRUE(testing::findings(warp, gpu::FindingKind::divergence).empty());
  EXPECT_NEAR(number(lane, "instructions") / number(warp, "instructions"), 2, 0.1);
  EXPECT_NEAR(number(lane, "lanes_on"), 16, 1) << "16 on either way, 32 on the few instructions before and behind";
  EXPECT_GT(number(lane, "times"), 1.6) << "by the model";
  EXPECT_LT(number(lane, "times"), 2.1);
  for (const LaneTimeline::Warp& each : testing::figure<LaneTimeline>(warp).warps) EXPECT_EQ(masks_of(each), std::vector{all});
}

TEST_F(Divergence, AShortIfMakesNoBranch) {
  const Outcome one = run({{"steps", "1"}}), two = run({{"steps", "2"}});
  EXPECT_EQ(number(one, "branch_lines"), 1) << "the guard";
  EXPECT_EQ(number(one, "branches"), warps) << "the guard";
  EXPECT_EQ(number(one, "split"), 0);
  EXPECT_EQ(number(one, "lanes_on"), 32);
  EXPECT_NEAR(number(one, "times"), 1, 0.05) << "by the model";
  EXPECT_EQ(number(one, "times"), number(one, "times_short"));
  EXPECT_NE(one.note.find("made a branch only of the guard"), std::string::npos) << one.note;
  EXPECT_TRUE(testing::findings(one, gpu::FindingKind::divergence).empty());
  const LaneTimeline figure = testing::figure<LaneTimeline>(one);
  ASSERT_FALSE(figure.warps.empty());
  std::set<std::string> executed;
  for (const auto& stretch : figure.warps[0].stretches) {
    EXPECT_EQ(stretch.mask, all);
    if (stretch.line > 0) executed.insert(line(stretch.line));
  }
  EXPECT_TRUE(executed.contains("            v = 0.5f * v + 1;")) << "all lanes execute both ways";
  EXPECT_TRUE(executed.contains("            v = 0.25f * v + 2;"));
  EXPECT_EQ(number(two, "split"), warps) << "longer ways are a branch";
  EXPECT_EQ(number(two, "wrong"), 0);
  EXPECT_EQ(testing::findings(two, gpu::FindingKind::divergence).size(), 1U);
  EXPECT_NEAR(number(run({}), "times_short"), 1, 0.05) << "the second question's answer, whatever the steps";
}

TEST_F(Divergence, ByDataNearlyEveryWarpIsSplitAndSortedAtMostOne) {
  std::vector<float> x = values_of_lesson();
  const auto split = [&] {
    int count = 0;
    for (std::size_t w = 0; w < x.size(); w += 32) {
      const auto small = std::count_if(&x[w], &x[w] + 32, [](float v) { return v < 0.5F; });
      count += small > 0 && small < 32;
    }
    return count;
  };
  const Outcome data = run({{"by", "data"}, {"steps", "20"}});
  EXPECT_EQ(number(data, "split"), split());
  EXPECT_EQ(number(data, "wrong"), 0);
  std::sort(x.begin(), x.end());
  const Outcome sorted = run({{"by", "sorted"}, {"steps", "20"}});
  EXPECT_EQ(number(sorted, "split"), split());
  EXPECT_LE(number(sorted, "split"), 1);
  EXPECT_EQ(number(sorted, "wrong"), 0);
  EXPECT_TRUE(testing::findings(sorted, gpu::FindingKind::divergence).empty());
  // The split warp is the one with the most instructions, so it is shown.
  const auto boundary = static_cast<std::uint32_t>(std::count_if(x.begin(), x.end(), [](float v) { return v < 0.5F; }) / 32);
  const LaneTimeline::Warp shown = testing::figure<LaneTimeline>(sorted).warps.at(0);
  EXPECT_EQ(shown.block * 32 + shown.warp, boundary);
  EXPECT_GT(masks_of(shown).size(), 1U);
}

TEST_F(Divergence, AnIfInAnIfHasFourWays) {
  const Outcome lane = run({{"shape", "nested"}}), warp = run({{"shape", "nested"}, {"by", "warp"}});
  EXPECT_EQ(number(lane, "split"), 3 * warps) << "the outer one, and one in each of its ways";
  EXPECT_EQ(number(warp, "split"), 0);
  EXPECT_NEAR(number(lane, "lanes_on"), 8, 1);
  EXPECT_NEAR(number(lane, "instructions") / number(warp, "instructions"), 4, 0.3);
  EXPECT_GT(number(lane, "times"), 3) << "by the model";
  EXPECT_EQ(number(lane, "wrong") + number(warp, "wrong"), 0);
  EXPECT_EQ(testing::findings(lane, gpu::FindingKind::divergence).size(), 3U);
  const LaneTimeline figure = testing::figure<LaneTimeline>(lane);
  for (const std::uint32_t way : {0xffu, 0xff00u, 0xff0000u, 0xff000000u})
    EXPECT_GE(instructions_of(figure.warps.at(0), way), 200U) << way;
}

TEST_F(Divergence, AWarpTakesAsLongAsItsLongestLoop) {
  const Outcome lane = run({{"shape", "loop"}, {"steps", "256"}}),
                warp = run({{"shape", "loop"}, {"steps", "256"}, {"by", "warp"}});
  EXPECT_EQ(number(lane, "wrong") + number(warp, "wrong"), 0);
  EXPECT_EQ(number(warp, "split"), 0);
  EXPECT_GT(number(lane, "times"), 1.3) << "by the model";
  // Lane k makes 8 (k + 1) steps: on average 16.5 of 32 lanes are in the loop.
  EXPECT_NEAR(number(lane, "lanes_on"), 16.5, 1.5);
  const LaneTimeline::Warp shown = testing::figure<LaneTimeline>(lane).warps.at(0);
  std::set<std::uint32_t> masks;
  for (const auto& stretch : shown.stretches) masks.insert(stretch.mask);
  for (int k = 0; k < 32; ++k) EXPECT_TRUE(masks.contains(all << k)) << "lanes " << k << " to 31 are left";
  // By warp the longest and the shortest loop stand side by side.
  const LaneTimeline figure = testing::figure<LaneTimeline>(warp);
  EXPECT_EQ(figure.warps.at(0).warp, 31U);
  EXPECT_EQ(figure.warps.at(1).warp, 0U);
  EXPECT_GT(figure.warps[0].instructions, 256U);
  EXPECT_LT(figure.warps[1].instructions, 60U);
}

TEST_F(Divergence, SortedLoopsSaveWhatTheirLanesWaited) {
  const Outcome data = run({{"by", "data"}, {"shape", "loop"}}), sorted = run({{"by", "sorted"}, {"shape", "loop"}});
  EXPECT_EQ(number(data, "wrong") + number(sorted, "wrong"), 0);
  EXPECT_GT(number(sorted, "lanes_on"), 30);
  EXPECT_LT(number(data, "lanes_on"), 20);
  EXPECT_LT(number(sorted, "instructions"), 0.7 * number(data, "instructions"));
  EXPECT_FALSE(testing::findings(data, gpu::FindingKind::divergence).empty());
}

TEST_F(Divergence, FourWaysToDealOutTheSameStepsHaveABarEach) {
  for (const char* const by : {"lane", "sorted"}) {
    const Outcome outcome = run({{"by", by}, {"steps", "64"}});
    const Ladder ladder = testing::figure<Ladder>(outcome);
    ASSERT_EQ(ladder.rungs.size(), 4U);
    EXPECT_EQ(ladder.chosen, by == std::string("lane") ? 0U : 3U);
    EXPECT_DOUBLE_EQ(ladder.rungs[ladder.chosen].us, number(outcome, "us"));
    EXPECT_DOUBLE_EQ(ladder.rungs[ladder.chosen].us / ladder.rungs[1].us, number(outcome, "times"));
    for (const std::size_t slow : {0U, 2U}) {
      for (const std::size_t fast : {1U, 3U}) EXPECT_GT(ladder.rungs[slow].us, ladder.rungs[fast].us) << "by the model";
    }
  }
}

TEST_F(Divergence, WhichLanesGoTogetherDoesNotMatter) {
  std::string text = kernel();
  const auto at = text.find("if (k < 16)\n        for");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 11, "if (k % 2 == 0)");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}, .job = nullptr});
  const auto odd = lesson().run(host, values({}), nullptr);
  ASSERT_TRUE(odd);
  const double as_it_was = number(run({}), "instructions");
  EXPECT_NEAR(number(*odd, "instructions"), as_it_was, 0.01 * as_it_was);
  EXPECT_EQ(number(*odd, "wrong"), 2048) << "the odd ones below 16 and the even ones from 16 on";
  EXPECT_NE(odd->note.find("were split 128 times. 2048 elements"), std::string::npos) << odd->note;
  EXPECT_TRUE(std::ranges::any_of(testing::figure<LaneTimeline>(*odd).warps.at(0).stretches,
                                  [](const auto& stretch) { return stretch.mask == 0x55555555u; }));
}

// The exercise `which_split`: the marked lines, and no others, split a warp when its program runs.
TEST_F(Divergence, TheExercisesMarksAreTheLinesThatSplit) {
  const auto text = read_text(data_directory() / "lessons/11_divergence/exercises/which_split/solution.cu");
  ASSERT_TRUE(text);
  std::set<std::string> marked;
  std::istringstream lines(*text);
  std::vector<std::string> all_lines;
  for (std::string each; std::getline(lines, each);) {
    all_lines.push_back(each);
    if (each.ends_with("  // here")) marked.insert(each);
  }
  EXPECT_EQ(marked.size(), 4U);
  Host host(device(), {.kernel_file = "ways.cu", .kernel_text = *text, .defines = {}, .job = nullptr});
  std::vector<float> x = values_of_lesson();
  x.resize(1000);
  for (float& value : x) value *= 3;
  const auto buffer = host.to_device<float>("x", x);
  ASSERT_TRUE(buffer);
  LaunchOptions options;
  options.observe = gpu::Observe::all();
  const auto report = host.launch("ways", {4}, {256}, {*buffer, gpu::Scalar::of(1000)}, options);
  ASSERT_TRUE(report && report->ok());
  std::set<std::string> split;
  for (const auto& counts : report->lines) {
    if (counts.split_branches > 0) split.insert(all_lines.at(counts.line - 1));
  }
  EXPECT_EQ(split, marked);
}

}  // namespace
}  // namespace warpbook::lessons
