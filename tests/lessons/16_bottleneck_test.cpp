// Lesson 16: what the course promises, on the virtual GPU. Bytes, operations and roofs are worked out here, from the arrays, the
// steps and the profile's units; the lesson counts them in its launches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "gpu/arithmetic.h"
#include "gpu/virtual/profiles.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRunOnce;
using testing::number;
using testing::Settings;
using RoofLimit = Roofline::Limit;

constexpr double values_read = 262'144, all_threads = 40 * 1024;  // a T4 has 40 multiprocessors with places for 1,024 threads
constexpr double bytes_of_array = 4 * values_read + 4 * all_threads, bytes_of_structs = 16 * values_read + 4 * all_threads;
constexpr double t4_memory = 320, t4_float32 = 40 * 64 * 2 * 1.59, t4_float64 = 40 * 2 * 2 * 1.59;  // 10⁹ a second, of a T4

double operations_for(int steps) { return (2 * steps + 1) * values_read; }  // the sum has one for each value

class Bottleneck : public LessonRunOnce {
 protected:
  Bottleneck() : LessonRunOnce("16") {}

  [[nodiscard]] const Roofline::Version& version(const std::string& letter) {
    for (const Roofline::Version& each : testing::figure<Roofline>(run({})).versions) {
      if (each.letter == letter) return each;
    }
    ADD_FAILURE() << "no version " << letter;
    static const Roofline::Version none{};
    return none;
  }
  static const Roofline::Version& chosen(const Outcome& outcome) {
    const auto& roofline = testing::figure<Roofline>(outcome);
    return roofline.versions.at(roofline.chosen);
  }
};

// ---- the question ----

TEST_F(Bottleneck, OfTheThreeVersionsTheMemoryLimitsOnlyTheOneWithFewOperationsInFloat32) {
  EXPECT_EQ(number(run({}), "memory_bound"), 1) << "only A";
  EXPECT_EQ(version("A").limit, RoofLimit::memory);
  EXPECT_EQ(version("B").limit, RoofLimit::float32);
  EXPECT_EQ(version("C").limit, RoofLimit::float64);
  EXPECT_EQ(version("D").limit, RoofLimit::memory);
  EXPECT_EQ(version("A").label, "16 steps, 0.5f");
  EXPECT_EQ(version("B").label, "128 steps, 0.5f");
  EXPECT_EQ(version("C").label, "16 steps, 0.5");
  EXPECT_EQ(number(preset("128 steps"), "memory_bound"), 1) << "the answer is the same, whatever is chosen";
}

// ---- what is counted ----

TEST_F(Bottleneck, CountsTheBytesAndTheOperationsThatTheArraysAndTheStepsAskFor) {
  EXPECT_EQ(version("A").bytes, bytes_of_array);
  EXPECT_EQ(version("B").bytes, bytes_of_array);
  EXPECT_EQ(version("C").bytes, bytes_of_array);
  EXPECT_EQ(version("D").bytes, bytes_of_structs) << "all four numbers of a struct, for one of them";
  EXPECT_EQ(version("A").operations, operations_for(16));
  EXPECT_EQ(version("B").operations, operations_for(128));
  EXPECT_EQ(version("C").operations, operations_for(16)) << "conversions are none";
  EXPECT_EQ(version("D").operations, operations_for(16));
  EXPECT_TRUE(version("C").float64);
  EXPECT_FALSE(version("A").float64);
  const Outcome& outcome = run({});
  EXPECT_EQ(number(outcome, "bytes"), bytes_of_structs);
  EXPECT_EQ(number(outcome, "operations"), operations_for(16));
  EXPECT_NEAR(number(outcome, "intensity"), operations_for(16) / bytes_of_structs, 1e-12);
  EXPECT_TRUE(testing::figure<Roofline>(outcome).counted);
}

TEST_F(Bottleneck, FloatConstantsLeaveNothingInFloat64AndDoubleOnesAnInstructionAStepAtLeast) {
  const auto float64_of = [](const Outcome& outcome) {
    std::uint64_t instructions = 0;
    for (const gpu::LineCounts& line : outcome.report.lines) instructions += line.float64_instructions;
    return double(instructions);
  };
  EXPECT_EQ(float64_of(preset("0.5f")), 0);
  EXPECT_GE(float64_of(preset("As found")), 16 * values_read / 32);
}

// ---- the roofs ----

TEST_F(Bottleneck, TheRoofsAreThoseOfTheDevice) {
  const auto& roofline = testing::figure<Roofline>(run({}));
  EXPECT_EQ(roofline.memory_gb_per_s, t4_memory);
  EXPECT_NEAR(roofline.float32_gflop_per_s, t4_float32, 1e-6);
  EXPECT_NEAR(roofline.float64_gflop_per_s, t4_float64, 1e-6);
  EXPECT_NEAR(roofline.float32_gflop_per_s, 8141, 0.5) << "as the page says";
  EXPECT_NEAR(roofline.float32_gflop_per_s / roofline.memory_gb_per_s, 25, 0.5);
}

TEST_F(Bottleneck, EveryProfilesRoofsComeFromItsUnits) {
  for (const gpu::Profile& profile : gpu::profiles()) {
    const gpu::ArithmeticPeak peak = gpu::arithmetic_peak(gpu::device_info(profile));
    const double cycles = profile.multiprocessors * profile.clock_mhz * 1e6;
    EXPECT_NEAR(peak.float32 / (2 * profile.lanes.fp32 * cycles), 1, 1e-12) << profile.name;
    EXPECT_NEAR(peak.float64 / (2 * profile.lanes.fp64 * cycles), 1, 1e-12) << profile.name;
  }
  gpu::DeviceInfo unknown;
  unknown.compute_capability = 777;
  EXPECT_EQ(gpu::arithmetic_peak(unknown).float32, 0);
}

TEST_F(Bottleneck, NoPointStandsAboveARoof) {
  for (const Preset& each : lesson().presets) {
    for (const Roofline::Version& one : testing::figure<Roofline>(preset(in_english(each.label))).versions) {
      ASSERT_GT(one.us, 0) << in_english(each.label) << " " << one.label;
      EXPECT_LE(one.gflop_per_s(), t4_memory * one.intensity()) << one.label;
      EXPECT_LE(one.gflop_per_s(), one.float64 ? t4_float64 * 33 / 32 : t4_float32)
          << one.label;  // the sum's additions are float32
      EXPECT_GT(one.share, 0) << one.label;
      EXPECT_LE(one.share, 1) << one.label;
    }
  }
}

TEST_F(Bottleneck, AShareIsThatOfTheRoofThatAloneWouldNeedTheLongest) {
  const auto& a = version("A");
  EXPECT_NEAR(a.share, bytes_of_array / (t4_memory * 1e3) / a.us, 1e-9);
  const auto& b = version("B");
  EXPECT_NEAR(b.share, operations_for(128) / (t4_float32 * 1e3) / b.us, 1e-9);
  const auto& c = version("C");
  EXPECT_NEAR(c.share, 32 * values_read / (t4_float64 * 1e3) / c.us, 1e-9) << "without the sum, which is float32";
}

// ---- the walk ----

TEST_F(Bottleneck, ChangingWhatIsNotTheLimitChangesNothing) {
  const double found = number(preset("As found"), "us"), array = number(preset("An array"), "us");
  EXPECT_EQ(chosen(preset("As found")).limit, RoofLimit::float64);
  EXPECT_NEAR(number(preset("As found"), "bytes") / number(preset("An array"), "bytes"), bytes_of_structs / bytes_of_array, 1e-12);
  EXPECT_NEAR(array / found, 1, 0.15) << "a third of the bytes, and as long (model)";
}

TEST_F(Bottleneck, ChangingTheLimitHelpsAndThenAnotherThingIsTheLimit) {
  const double found = number(preset("As found"), "us"), floats = number(preset("0.5f"), "us"),
               both = number(preset("0.5f and an array"), "us");
  EXPECT_LT(floats, 0.6 * found);
  EXPECT_EQ(chosen(preset("0.5f")).limit, RoofLimit::memory);
  EXPECT_LT(both, 0.4 * floats) << "what gave nothing before";
  EXPECT_EQ(chosen(preset("0.5f and an array")).limit, RoofLimit::memory);
}

TEST_F(Bottleneck, UnderTheMemorysRoofHalfOfTheStepsTakeAsLong) {
  EXPECT_EQ(number(preset("Half the steps"), "operations"), operations_for(8));
  EXPECT_NEAR(number(preset("Half the steps"), "us") / number(preset("0.5f and an array"), "us"), 1, 0.1);
}

TEST_F(Bottleneck, ManyStepsAreLimitedByArithmetic) {
  EXPECT_EQ(chosen(preset("128 steps")).limit, RoofLimit::float32);
  EXPECT_EQ(chosen(preset("128 steps")).letter, "B");
  EXPECT_GT(chosen(preset("128 steps")).intensity(), t4_float32 / t4_memory);
  EXPECT_LT(chosen(preset("0.5f and an array")).intensity(), t4_float32 / t4_memory);
}

TEST_F(Bottleneck, FewWarpsComeCloseToNoRoofAndWaitForMemory) {
  const Outcome& outcome = preset("Few warps");
  EXPECT_EQ(chosen(outcome).lowest, RoofLimit::memory);
  EXPECT_EQ(chosen(outcome).limit, RoofLimit::none);
  EXPECT_LT(number(outcome, "of_roof"), 30);
  EXPECT_EQ(outcome.report.grid.x, 40U);
  EXPECT_EQ(outcome.report.block.x, 32U);
  EXPECT_NE(outcome.note.find("waiting for global memory"), std::string::npos) << outcome.note;
}

TEST_F(Bottleneck, TheWarpsWaitForTheirLimit) {
  const auto longest = [](const Roofline::Version& one) {
    return static_cast<gpu::WarpState>(std::max_element(one.waits.begin(), one.waits.end()) - one.waits.begin());
  };
  EXPECT_EQ(longest(version("A")), gpu::WarpState::memory);
  EXPECT_EQ(longest(version("C")), gpu::WarpState::unit_busy);
  const auto share = [](const Roofline::Version& one, gpu::WarpState state) {
    return double(one.waits[static_cast<std::size_t>(state)]) / std::accumulate(one.waits.begin(), one.waits.end(), 0.0);
  };
  EXPECT_GT(share(version("A"), gpu::WarpState::memory), 0.7);
  EXPECT_LT(share(version("B"), gpu::WarpState::memory), 0.35) << "it waits for arithmetic, or for its turn";
}

TEST_F(Bottleneck, EverySumIsRightAndNothingIsFound) {
  for (const Preset& each : lesson().presets) {
    const Outcome& outcome = preset(in_english(each.label));
    EXPECT_EQ(number(outcome, "wrong"), 0) << in_english(each.label);
    for (const gpu::Finding& finding : outcome.report.findings)
      EXPECT_GT(finding.kind, gpu::FindingKind::sync) << in_english(finding.message);
  }
}

TEST_F(Bottleneck, CountsWhatAnEditedKernelComputesWrong) {
  std::string text = kernel();
  const std::string code = "y[me] = sum;";
  text.replace(text.find(code), code.size(), "y[me] = me == 7 ? 0 : sum;");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}});
  const Result<Outcome> outcome = lesson().run(host, values({{"n", "4096"}}), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(number(*outcome, "wrong"), 1);
}

TEST_F(Bottleneck, AVersionThatAnEditBreaksIsLeftOut) {
  std::string text = kernel();
  const std::string code = "v = 0.5f * v + 1.0f;";
  text.replace(text.find(code), code.size(), "v = nonsense;");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}});
  const Result<Outcome> outcome = lesson().run(host, values({{"n", "4096"}}), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(number(*outcome, "us_of_A"), 0);
  EXPECT_GT(number(*outcome, "us_of_C"), 0);
  EXPECT_EQ(number(*outcome, "wrong"), 0);
}

TEST_F(Bottleneck, Cancels) {
  gpu::Job job;
  job.cancelled = true;
  const Result<Outcome> outcome = try_run({}, &job);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "cancelled");
}

}  // namespace
}  // namespace warpbook::lessons
