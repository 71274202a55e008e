// Lesson 09: what the course promises, on the virtual GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/virtual/profiles.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRunOnce;
using testing::number;
using testing::Settings;

/// The chart over one thing.
const LaunchSweep::Part& part(const Outcome& outcome, const std::string& label) {
  for (const LaunchSweep::Part& each : testing::figure<LaunchSweep>(outcome).parts) {
    if (each.label == label) return each;
  }
  ADD_FAILURE() << "no chart over " << label;
  static const LaunchSweep::Part none{};
  return none;
}

const LaunchSweep::Row& row(const LaunchSweep::Part& part, std::uint32_t value) {
  for (const LaunchSweep::Row& each : part.rows) {
    if (each.value == value) return each;
  }
  ADD_FAILURE() << "no launch with " << value << " " << part.label;
  static const LaunchSweep::Row none{};
  return none;
}

class LaunchConfigurationLesson : public LessonRunOnce {
 protected:
  LaunchConfigurationLesson() : LessonRunOnce("09") {}

  [[nodiscard]] static const gpu::Profile& a40() { return *gpu::find_profile("A40"); }
  /// Share of a device's warps that blocks of so many threads fill, where threads and places for blocks are all that they need.
  [[nodiscard]] static double filled(const gpu::Profile& profile, int threads) {
    const int warps = (threads + 31) / 32;
    const int blocks = std::min(profile.blocks_per_multiprocessor, profile.warps_per_multiprocessor / warps);
    return 100.0 * blocks * warps / profile.warps_per_multiprocessor;
  }
  [[nodiscard]] static std::uint64_t cycles_of(const LaunchSweep::Row& launch) {
    return static_cast<std::uint64_t>(std::llround(launch.us * gpu::find_profile("T4")->clock_mhz));
  }
};

// ---- what fits ----

TEST_F(LaunchConfigurationLesson, BlocksOf1024FillTwoThirdsOfAnA40) {
  EXPECT_NEAR(number(run({}), "a40_occupancy"), 100.0 * 1024 / 1536, 1e-9);
}

TEST_F(LaunchConfigurationLesson, HoldsWholeBlocksOnly) {
  for (const int threads : {32, 48, 256, 768, 1024}) {
    const Outcome& outcome = run({{"threads", std::to_string(threads)}});
    EXPECT_NEAR(number(outcome, "a40_occupancy"), filled(a40(), threads), 1e-9) << threads;
    EXPECT_NEAR(number(outcome, "occupancy"), filled(*gpu::find_profile("T4"), threads), 1e-9) << threads;
  }
}

TEST_F(LaunchConfigurationLesson, ItsA40IsTheProfilesA40WhateverRunsOut) {
  const gpu::DeviceInfo profile = gpu::device_info(a40());
  std::set<gpu::Limiter> limiters;
  struct {
    int threads, shared, items;  // shared in KiB
  } const launches[] = {{32, 0, 1}, {32, 5, 1}, {32, 7, 1}, {256, 0, 32}, {256, 24, 1}, {256, 48, 1}, {1024, 0, 1}, {1024, 47, 1}};
  for (const auto& [threads, shared, items] : launches) {
    const Outcome& outcome =
        run({{"threads", std::to_string(threads)}, {"shared", std::to_string(shared)}, {"items", std::to_string(items)}});
    const auto expected = gpu::occupancy(profile, {.threads_per_block = threads,
                                                   .registers_per_thread = static_cast<int>(number(outcome, "registers")),
                                                   .dynamic_shared_bytes = static_cast<std::size_t>(shared) * 1024});
    ASSERT_TRUE(expected);
    limiters.insert(expected->limiter);
    EXPECT_EQ(number(outcome, "a40_occupancy"), 100 * expected->fraction) << threads << ", " << shared << " KiB, " << items;
    EXPECT_NE(outcome.note.find(std::string(gpu::name_of(expected->limiter))), std::string::npos) << outcome.note;
  }
  EXPECT_EQ(limiters.size(), 4U) << "each of the limits was met";
}

TEST_F(LaunchConfigurationLesson, EveryLaunchIsRightAndNothingIsFound) {
  for (const char* threads : {"1024", "33"}) {
    for (const char* items : {"1", "8"}) {
      for (const char* blocks : {"0", "3"}) {
        const Outcome& outcome = run({{"threads", threads}, {"items", items}, {"blocks", blocks}});
        EXPECT_EQ(number(outcome, "wrong"), 0) << threads << ", " << items << ", " << blocks;
        for (const gpu::Finding& finding : outcome.report.findings) {
          EXPECT_GT(finding.kind, gpu::FindingKind::sync) << in_english(finding.message);
        }
      }
    }
  }
}

TEST_F(LaunchConfigurationLesson, CountsWhatAnEditedKernelComputesWrong) {
  std::string text = kernel();
  const std::string code = "y[at] = v[k];";
  text.replace(text.find(code), code.size(), "y[at] = at == 70 ? 9 : v[k];");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}});
  const Result<Outcome> outcome = lesson().run(host, values({}), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(number(*outcome, "wrong"), 1);
}

TEST_F(LaunchConfigurationLesson, HalfOfTheSharedMemoryLetsTwiceAsManyBlocksFitInLighter) {
  const gpu::DeviceInfo t4 = gpu::device_info(*gpu::find_profile("T4"));
  const auto two_arrays = gpu::occupancy(t4, {.threads_per_block = 256, .dynamic_shared_bytes = 2 * 4096 * 4});
  const auto one_array = gpu::occupancy(t4, {.threads_per_block = 256, .dynamic_shared_bytes = 4096 * 4});
  ASSERT_TRUE(two_arrays && one_array);
  EXPECT_EQ(two_arrays->blocks, 2);
  EXPECT_EQ(two_arrays->fraction, 0.5);
  EXPECT_EQ(one_array->blocks, 4);
  EXPECT_EQ(one_array->fraction, 1);
}

// ---- the sweeps ----

TEST_F(LaunchConfigurationLesson, ASweepHasARowForEveryValueAndTheChosenOneIsItsLaunch) {
  const Outcome& outcome = run({{"threads", "100"}});
  const LaunchSweep::Part& threads = part(outcome, "threads a block");
  ASSERT_EQ(threads.rows.size(), 13U) << "twelve sizes and the chosen one";
  EXPECT_EQ(threads.rows[threads.chosen].value, 100U);
  double best = number(outcome, "us");
  for (const LaunchSweep::Part& each : testing::figure<LaunchSweep>(outcome).parts) {
    EXPECT_EQ(each.rows[each.chosen].us, number(outcome, "us")) << each.label;
    for (std::size_t i = 0; i < each.rows.size(); ++i) {
      EXPECT_GT(each.rows[i].us, 0) << each.label << " " << each.rows[i].value;
      best = std::min(best, each.rows[i].us);
      if (i > 0) {
        EXPECT_LT(each.rows[i - 1].value, each.rows[i].value);
      }
      EXPECT_EQ(each.rows[i].allowed.size(), each.rules.size());
    }
    EXPECT_EQ(each.rows[each.fastest()].us,
              std::min_element(each.rows.begin(), each.rows.end(), [](const auto& a, const auto& b) { return a.us < b.us; })->us);
  }
  EXPECT_NEAR(number(outcome, "of_best"), 100 * best / number(outcome, "us"), 1e-9);
}

TEST_F(LaunchConfigurationLesson, ALaunchOfTheSweepTakesAsLongAsByItself) {
  const Outcome& outcome = run({});
  for (const std::uint32_t threads : {32U, 48U, 256U})
    EXPECT_EQ(row(part(outcome, "threads a block"), threads).us, number(run({{"threads", std::to_string(threads)}}), "us"))
        << threads;
}

TEST_F(LaunchConfigurationLesson, OnAT4TheBlocksOf64AreTheFastestAndNotTheFullestOnes) {
  const Outcome& outcome = run({});
  const LaunchSweep::Part& threads = part(outcome, "threads a block");
  const std::pair<std::uint32_t, std::uint64_t> known[] = {{32, 4052},  {48, 2880},  {64, 2524},
                                                           {128, 3056}, {256, 3179}, {1024, 3443}};
  for (const auto& [size, cycles] : known) EXPECT_EQ(cycles_of(row(threads, size)), cycles) << size;
  EXPECT_EQ(number(outcome, "fastest_threads"), 64);
  EXPECT_EQ(number(outcome, "occupancy"), 100);
  EXPECT_NEAR(number(outcome, "of_best"), 100.0 * 2524 / 3443, 1e-6);
}

TEST_F(LaunchConfigurationLesson, TheRulesSayWhatTheirNamesSay) {
  const Outcome& outcome = run({});
  const LaunchSweep::Part& threads = part(outcome, "threads a block");
  ASSERT_EQ(threads.rules, (std::vector<std::string>{"multiple of 32", "128 to 512", "highest occupancy"}));
  for (const LaunchSweep::Row& each : threads.rows) {
    const bool full = filled(*gpu::find_profile("T4"), static_cast<int>(each.value)) == 100;
    EXPECT_EQ(each.allowed, (std::vector<bool>{each.value % 32 == 0, each.value >= 128 && each.value <= 512, full})) << each.value;
  }
  const LaunchSweep::Part& blocks = part(outcome, "blocks");
  ASSERT_EQ(blocks.rules, (std::vector<std::string>{"2 to 4 a multiprocessor", "as many as needed"}));
  for (const LaunchSweep::Row& each : blocks.rows)
    EXPECT_EQ(each.allowed, (std::vector<bool>{each.value >= 80 && each.value <= 160, each.value == 64})) << each.value;
}

// Each rule allows a launch that takes longer than one that it forbids.
TEST_F(LaunchConfigurationLesson, EachRuleFailsForSomeLaunch) {
  const Outcome& outcome = run({});
  const LaunchSweep::Part& threads = part(outcome, "threads a block");
  EXPECT_LT(row(threads, 48).us, row(threads, 96).us) << "no multiple of 32";
  EXPECT_LT(row(threads, 64).us, row(threads, 128).us) << "below 128 to 512";
  EXPECT_GT(row(threads, 96).occupancy.fraction, 0.9);
  EXPECT_LT(row(threads, 96).occupancy.fraction, 1);
  EXPECT_LT(row(threads, 96).us, row(threads, 1024).us) << "not the highest occupancy";
  // … and why it exists.
  EXPECT_GT(row(threads, 33).us, 1.5 * row(threads, 64).us) << "as many warps as 64, and half of the threads";
}

// ---- the presets ----

TEST_F(LaunchConfigurationLesson, OneWarpABlockRunsOutOfPlacesForBlocks) {
  const Outcome& outcome = preset("One warp a block");
  EXPECT_EQ(number(outcome, "occupancy"), 50);
  EXPECT_EQ(testing::figure<OccupancyCurves>(outcome).present.limiter, gpu::Limiter::blocks);
}

TEST_F(LaunchConfigurationLesson, EightElementsAtLowOccupancyBeatOneAtTheHighest) {
  const Outcome &full = preset("1024 threads"), &eight = preset("… eight at a time");
  EXPECT_EQ(number(full, "occupancy"), 100);
  EXPECT_EQ(number(eight, "occupancy"), 50);
  EXPECT_LT(number(eight, "held"), number(full, "held") / 4);
  EXPECT_EQ(eight.report.cycles, 3064U);
  EXPECT_EQ(full.report.cycles, 3443U);
}

TEST_F(LaunchConfigurationLesson, BlocksWithoutElementsCostTimeAllTheSame) {
  const Outcome& outcome = preset("4,096 blocks");
  const LaunchSweep::Part& blocks = part(outcome, "blocks");
  EXPECT_EQ(cycles_of(row(blocks, 512)), 3056U) << "each thread has one element";
  EXPECT_EQ(outcome.report.cycles, 6293U);
  EXPECT_GT(row(blocks, 8192).us, row(blocks, 4096).us);
  EXPECT_GT(row(blocks, 40).us, 2 * row(blocks, 512).us) << "too few warps";
}

TEST_F(LaunchConfigurationLesson, IndependentElementsHelpFewWarpsWithoutMoreOccupancy) {
  const Outcome &one = preset("Few warps"), &eight = preset("Few warps, eight at a time");
  EXPECT_EQ(one.report.cycles, 30'444U);
  EXPECT_EQ(eight.report.cycles, 7250U);
  EXPECT_LE(number(eight, "occupancy"), number(one, "occupancy"));
  EXPECT_LE(number(eight, "held"), number(one, "held"));
  EXPECT_GT(number(eight, "registers"), number(one, "registers"));
}

TEST_F(LaunchConfigurationLesson, WithSharedMemoryForOneBlockTheOccupancyDecides) {
  const Outcome& outcome = preset("48 KiB a block");
  const gpu::Occupancy& present = testing::figure<OccupancyCurves>(outcome).present;
  EXPECT_EQ(present.blocks, 1);
  EXPECT_EQ(present.warps, 4);
  EXPECT_EQ(present.limiter, gpu::Limiter::shared_memory);
  EXPECT_EQ(outcome.report.cycles, 12'769U) << "and 3056 without";
}

TEST_F(LaunchConfigurationLesson, LaunchBoundsRaiseTheOccupancyAndNotTheSpeed) {
  const Outcome &bound = preset("Launch bounds"), &free = run({{"threads", "256"}, {"items", "32"}});
  EXPECT_EQ(number(free, "occupancy"), 75);
  EXPECT_EQ(testing::figure<OccupancyCurves>(free).present.limiter, gpu::Limiter::registers);
  EXPECT_EQ(number(bound, "occupancy"), 100);
  EXPECT_LE(number(bound, "registers"), 64) << "65536 registers for 1024 threads";
  EXPECT_GE(number(bound, "us"), number(free, "us"));
}

TEST_F(LaunchConfigurationLesson, LaunchBoundsLetABlockRunThatIsRefusedWithoutThem) {
  const auto refused = try_run({{"threads", "1024"}, {"items", "32"}});
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_EQ(refused->report.status, "cudaErrorLaunchOutOfResources");
  EXPECT_TRUE(refused->numbers.empty());
  EXPECT_EQ(number(run({{"threads", "1024"}, {"items", "32"}, {"min_blocks", "1"}}), "wrong"), 0);
}

TEST_F(LaunchConfigurationLesson, ALaunchOfTheSweepThatIsRefusedHasNoTime) {
  const Outcome& outcome = run({{"threads", "256"}, {"items", "32"}});
  EXPECT_EQ(row(part(outcome, "threads a block"), 1024).us, 0);
  EXPECT_EQ(row(part(outcome, "threads a block"), 1024).occupancy.blocks, 0);
  EXPECT_GT(row(part(outcome, "threads a block"), 768).us, 0);
}

// ---- the timelines ----

TEST_F(LaunchConfigurationLesson, TheTimelinesShowFewWarpsAndManyOnOneMultiprocessor) {
  const auto warps_at_most = [](const SmTimeline::Run& run) {
    std::size_t most = 0;
    for (const gpu::WarpLane& one : run.clock->timeline.lanes) {
      EXPECT_EQ(one.sm, run.clock->timeline.lanes.front().sm);
      std::size_t resident = 0;
      for (const gpu::WarpLane& other : run.clock->timeline.lanes)
        resident += other.spans.front().begin <= one.spans.front().begin && one.spans.front().begin < other.spans.back().end;
      most = std::max(most, resident);
    }
    return most;
  };
  const Outcome &full = preset("1024 threads"), &few = preset("Few warps");
  const auto& full_runs = testing::figure<SmTimeline>(full).runs;
  const auto& few_runs = testing::figure<SmTimeline>(few).runs;
  ASSERT_EQ(full_runs.size(), 2U);
  ASSERT_EQ(few_runs.size(), 2U);
  EXPECT_EQ(warps_at_most(full_runs[0]), 32U);
  EXPECT_EQ(warps_at_most(full_runs[1]), 4U) << "one for each scheduler";
  EXPECT_EQ(warps_at_most(few_runs[0]), 1U);
  EXPECT_GT(warps_at_most(few_runs[1]), 8U);
  EXPECT_GT(number(few, "idle"), 95);
  EXPECT_LT(number(full, "idle"), 85);
  EXPECT_GT(full_runs[1].clock->cycles, 2 * full_runs[0].clock->cycles);
}

TEST_F(LaunchConfigurationLesson, MoreMultiprocessorsDoNotHelpALaunchWithoutBlocksForThem) {
  const auto time_on = [&](const char* profile) {
    gpu::Compiler compiler;
    auto device = gpu::make_virtual_device(compiler, profile);
    if (!device) throw std::runtime_error(device.error().message);
    Host host(**device, {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}});
    const auto outcome = lesson().run(host, values({{"threads", "32"}, {"blocks", "40"}}), nullptr);
    if (!outcome) throw std::runtime_error(outcome.error().message);
    return number(*outcome, "us");
  };
  const double t4 = number(run({{"threads", "32"}, {"blocks", "40"}}), "us");
  for (const char* larger : {"A40", "H200"}) {
    EXPECT_GE(gpu::find_profile(larger)->multiprocessors, 2 * gpu::find_profile("T4")->multiprocessors);
    EXPECT_GT(time_on(larger), 0.8 * t4) << larger;
  }
}

TEST_F(LaunchConfigurationLesson, Cancels) {
  gpu::Job job;
  job.cancelled = true;
  const Result<Outcome> outcome = try_run({}, &job);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "cancelled");
}

}  // namespace
}  // namespace warpbook::lessons
