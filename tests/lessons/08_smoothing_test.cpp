// Lesson 08: the three mistakes of the document's kernel and what is left when they are mended, on the virtual GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

class SmoothingLesson : public LessonRun {
 protected:
  SmoothingLesson() : LessonRun("08") {}

  /// A kernel with one store an output has no interleaving, so that the views are not always all there.
  [[nodiscard]] Outcome smooth(const std::string& version, Settings more = {}) {
    more.emplace_back("version", version);
    Result<Outcome> outcome = try_run(more);
    if (!outcome) {
      ADD_FAILURE() << outcome.error().message;
      return {};
    }
    EXPECT_EQ(outcome->report.status, "ok") << say(outcome->report.message);
    return std::move(*outcome);
  }
};

/// The two curves against each other: what the page draws is what its number says.
double largest_difference(const Curves& curves) {
  double most = 0;
  for (std::size_t i = 0; i < curves.got.size(); ++i)
    most = std::max(most, std::abs(double{curves.got[i]} - double{curves.expected[i]}));
  return most;
}

TEST_F(SmoothingLesson, PlusRacesAndKeepsAtMostOneTermAWarp) {
  const Outcome outcome = run({{"version", "racing"}});
  EXPECT_EQ(number(outcome, "wrong"), 512);
  EXPECT_EQ(number(outcome, "atomics"), 0);
  const auto races = testing::findings(outcome, gpu::FindingKind::race);
  ASSERT_FALSE(races.empty());
  EXPECT_NE(line(races[0].at.line).find("x[i] += term"), std::string::npos);
  const auto& updates = testing::figure<Interleaving>(outcome);
  EXPECT_FALSE(updates.atomic);
  EXPECT_EQ(updates.kept + updates.lost, 64U) << "2s threads";
  EXPECT_GE(updates.kept, 1U);
  EXPECT_LE(updates.kept, 2U) << "two warps";
  EXPECT_EQ(updates.values.back().value, updates.final_value) << "the highest lane's store is the one that stays";
  EXPECT_NEAR(static_cast<double>(updates.final_value), 1e6 * double{testing::figure<Curves>(outcome).got[32]}, 1);
}

TEST_F(SmoothingLesson, WithAtomicsAndTwoSThreadsExactlyTheLastTermIsMissing) {
  for (const char* s : {"1", "8", "32", "128"}) {
    const Outcome outcome = run({{"version", "atomic_short"}, {"s", s}});
    EXPECT_EQ(number(outcome, "wrong"), 512) << s;
    EXPECT_LT(number(outcome, "unexplained"), 2e-6) << s;
    EXPECT_GT(number(outcome, "largest_error"), 100 * number(outcome, "unexplained")) << s;
    EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::race).empty()) << s;
    EXPECT_EQ(number(outcome, "atomics"), 512.0 * 2 * std::stoi(s));
    EXPECT_NE(outcome.note.find("j == s"), std::string::npos) << outcome.note;
    const auto& curves = testing::figure<Curves>(outcome);
    EXPECT_TRUE(std::equal(curves.got.begin(), curves.got.end(), curves.expected.begin(), std::less<>())) << "too small, all";
  }
}

TEST_F(SmoothingLesson, MendedVersionsAreRight) {
  for (const char* version : {"atomic", "one_thread", "shared"}) {
    for (const char* n : {"2", "100", "1025"}) {
      for (const char* s : {"1", "8", "32", "128"}) {
        if (std::string(n) == "1025" && std::string(s) == "128") continue;  // a quarter of a million threads teach no more
        const Outcome outcome = smooth(version, {{"n", n}, {"s", s}, {"trials", "2"}});
        EXPECT_EQ(number(outcome, "wrong"), 0) << version << ", n = " << n << ", s = " << s;
        EXPECT_LT(number(outcome, "largest_error"), 3e-6) << version;
        EXPECT_NEAR(largest_difference(testing::figure<Curves>(outcome)), number(outcome, "largest_error"), 3e-7);
        EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found);
        EXPECT_EQ(outcome.report.observed[gpu::FindingKind::memory], gpu::Observation::none_found);
        EXPECT_EQ(outcome.report.observed[gpu::FindingKind::init], gpu::Observation::none_found);
        const int terms = std::string(version) == "atomic" ? 2 * std::stoi(s) + 1 : 0;
        EXPECT_EQ(number(outcome, "atomics"), std::stod(n) * terms);
      }
    }
  }
}

TEST_F(SmoothingLesson, WithoutItsBlockTheIndexIsRightForOneBlockOnly) {
  EXPECT_EQ(number(smooth("no_block", {{"n", "512"}}), "wrong"), 0);
  const Outcome full = smooth("no_block", {{"n", "1024"}});
  EXPECT_EQ(number(full, "wrong"), 0);
  EXPECT_TRUE(testing::findings(full, gpu::FindingKind::race).empty());
  const Outcome beyond = smooth("no_block", {{"n", "1025"}});
  EXPECT_EQ(number(beyond, "wrong"), 1);
  const Outcome twice = smooth("no_block", {{"n", "2048"}});
  EXPECT_EQ(number(twice, "wrong"), 1024);
  EXPECT_FALSE(testing::findings(twice, gpu::FindingKind::race).empty());
  const auto& got = testing::figure<Curves>(twice).got;
  EXPECT_TRUE(std::all_of(got.begin() + 1024, got.end(), [](float x) { return x == 0; })) << "nobody wrote them";
}

TEST_F(SmoothingLesson, FloatAtomicsDoNotGiveTheSameBits) {
  const Outcome outcome = run({{"version", "atomic"}});
  EXPECT_GT(number(outcome, "patterns"), 1);
  EXPECT_LE(number(outcome, "patterns"), 20);
  EXPECT_EQ(number(outcome, "patterns"), number(outcome, "atomic_patterns"));
  EXPECT_NE(outcome.note.find("different values"), std::string::npos) << outcome.note;
  for (const char* version : {"one_thread", "shared"}) {
    const Outcome fixed = smooth(version);
    EXPECT_EQ(number(fixed, "patterns"), 1) << version;
    EXPECT_EQ(number(fixed, "atomic_patterns"), number(outcome, "patterns")) << "the same launches beside every version";
  }
  EXPECT_EQ(number(run({{"version", "atomic"}, {"s", "8"}}), "patterns"), 1) << "one warp: its lanes always add in the same order";
}

TEST_F(SmoothingLesson, AtomicsAddEveryTermOfTheOutputShown) {
  const auto updates = testing::figure<Interleaving>(run({{"version", "atomic"}}));
  EXPECT_TRUE(updates.atomic);
  EXPECT_EQ(updates.kept, 65U);
  EXPECT_EQ(updates.lost, 0U);
}

TEST_F(SmoothingLesson, AddingToWhatIsThereDoublesASecondLaunch) {
  const Outcome once = smooth("atomic"), twice = smooth("atomic", {{"launches", "2"}});
  const auto &first = testing::figure<Curves>(once).got, &second = testing::figure<Curves>(twice).got;
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(second[i], 2 * first[i], 1e-5) << i;
  EXPECT_EQ(number(smooth("one_thread", {{"launches", "2"}}), "wrong"), 0) << "it stores, and adds to nothing";
}

TEST_F(SmoothingLesson, CopiesAreMostOfASmallRun) {
  const Outcome small = smooth("one_thread", {{"n", "64"}, {"block", "128"}});
  const Outcome large = smooth("one_thread", {{"n", "32768"}, {"block", "128"}, {"trials", "2"}});
  EXPECT_GT(number(small, "with_copies"), 2 * number(small, "us"));
  EXPECT_GT(number(small, "cpu_us"), 0);
  EXPECT_LT(number(large, "with_copies") / number(small, "with_copies"), 100) << "512 times the outputs";
  EXPECT_GT(number(large, "cpu_us") / number(small, "cpu_us"), 20) << "a core's time grows with the outputs";
  for (const Number& n : small.numbers) {
    if (n.name == "us" || n.name == "with_copies" || n.name == "cpu_us") {
      EXPECT_TRUE(n.of_device) << n.name;
    }
  }
}

TEST_F(SmoothingLesson, EveryPresetShowsWhatItsNamePromises) {
  for (const Preset& preset : lesson().presets) {
    Settings settings;
    for (const auto& [id, value] : preset.values) {
      const auto control =
          std::find_if(lesson().controls.begin(), lesson().controls.end(), [&](const auto& c) { return c.id == id; });
      ASSERT_NE(control, lesson().controls.end()) << id;
      settings.emplace_back(id, value_text(*control, value));
    }
    settings.emplace_back("trials", "2");
    Result<Outcome> outcome = try_run(settings);
    ASSERT_TRUE(outcome) << in_english(preset.label);
    const std::map<std::string, double> wrong{{"+= races", 512}, {"With atomicAdd", 512}, {"… for 2,048 outputs", 1024}};
    const auto expected = wrong.find(in_english(preset.label));
    EXPECT_EQ(number(*outcome, "wrong"), expected == wrong.end() ? 0 : expected->second) << in_english(preset.label);
  }
}

}  // namespace
}  // namespace warpbook::lessons
