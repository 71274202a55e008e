// Asynchronous copies in the race detector, case by case; races_copies_oracle_test.cpp has random ones.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

using ptx::Copy;
using ptx::Space;

constexpr std::uint32_t copy_line = 10, load_line = 20, store_line = 21, arrive_line = 30;
constexpr vm::WarpId warp0{0, 0}, warp1{0, 1};

ScriptLaunch two_warps() { return {.grid = {2}, .block = {64}}; }

/// Each lane copies its own element: data[i] to tile[i].
void copy_tile(Script& script, vm::WarpId warp, std::uint64_t tile = 0, std::uint32_t mask = all_lanes) {
  script.copy(copy_line, Copy::group, warp, mask, elements_from(32 * warp.warp), Space::global, words_from(tile + 32 * warp.warp),
              Space::shared);
}
void load_tile(Script& script, vm::WarpId warp, const Script::Addresses& place) {
  script.load(load_line, warp, all_lanes, place, shared_access());
}

TEST(RacesCopies, ABarrierDoesNotWaitForACopy) {
  Script script(race, two_warps());
  copy_tile(script, warp0);
  script.barrier(0);
  load_tile(script, warp1, words_from(0));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.at.line, copy_line);
  ASSERT_TRUE(finding.other);
  EXPECT_EQ(finding.other->line, load_line);
  EXPECT_NE(in_english(finding.message).find("Thread (0,0,0) began that copy (line 10) and has not waited for it."),
            std::string::npos)
      << in_english(finding.message);
  EXPECT_NE(in_english(finding.message).find("Then call __syncthreads()"), std::string::npos) << in_english(finding.message);
  EXPECT_EQ(finding.threads, 32u);
}

TEST(RacesCopies, ItsOwnThreadMustWaitToo) {
  Script script(race, two_warps());
  copy_tile(script, warp0);
  script.commit(warp0, all_lanes);
  load_tile(script, warp0, words_from(0));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(in_english(report.findings[0].message).find("The same thread began that copy (line 10)"), std::string::npos)
      << in_english(report.findings[0].message);
}

TEST(RacesCopies, WhoHasWaitedMayReadItsOwn) {
  Script script(race, two_warps());
  copy_tile(script, warp0);
  script.commit(warp0, all_lanes);
  script.wait(warp0, all_lanes, 0);
  load_tile(script, warp0, words_from(0));
  EXPECT_EQ(races(script), 0u);
}

TEST(RacesCopies, OthersNeedABarrierBehindTheWait) {
  for (const bool behind : {false, true}) {
    Script script(race, two_warps());
    copy_tile(script, warp0);
    script.commit(warp0, all_lanes);
    if (!behind) script.barrier(0);
    script.wait(warp0, all_lanes, 0);
    if (behind) script.barrier(0);
    load_tile(script, warp1, words_from(0));
    EXPECT_EQ(races(script), behind ? 0u : 1u);
  }
}

TEST(RacesCopies, WithoutAGroupThereIsNothingToWaitFor) {
  Script script(race, two_warps());
  copy_tile(script, warp0);
  script.wait(warp0, all_lanes, 0);
  load_tile(script, warp0, words_from(0));
  EXPECT_EQ(races(script), 1u);
}

/// Two groups, or an empty one behind the first: what a wait for all but one leaves under way.
TEST(RacesCopies, GroupsAreCounted) {
  for (const bool second : {false, true})
    for (const std::uint64_t read : {0u, 64u}) {
      Script script(race, two_warps());
      copy_tile(script, warp0);
      script.commit(warp0, all_lanes);
      if (second) copy_tile(script, warp0, 64);
      script.commit(warp0, all_lanes);
      script.wait(warp0, all_lanes, 1);
      load_tile(script, warp0, words_from(read));
      EXPECT_EQ(races(script), second && read ? 1u : 0u) << second << " " << read;
    }
}

TEST(RacesCopies, EachLaneCountsItsOwnGroups) {
  Script script(race, two_warps());
  const std::uint32_t half = 0xffff;
  copy_tile(script, warp0);
  script.commit(warp0, all_lanes);
  script.commit(warp0, half);        // an empty one
  script.wait(warp0, all_lanes, 1);  // the others' only group may be under way
  script.load(load_line, warp0, half, words_from(0), shared_access());
  EXPECT_EQ(races(script), 0u);
  script.load(load_line, warp0, ~half, words_from(0), shared_access());
  EXPECT_EQ(races(script), 1u);
}

TEST(RacesCopies, TheSourceIsReadUntilTheWait) {
  for (const bool waits : {false, true}) {
    Script script(race, two_warps());
    copy_tile(script, warp0);
    script.commit(warp0, all_lanes);
    if (waits) script.wait(warp0, all_lanes, 0);
    script.store(store_line, warp0, all_lanes, elements_from(0));
    const LaunchReport report = script.report();
    ASSERT_EQ(report.findings.size(), waits ? 0u : 1u);
    if (waits) continue;
    EXPECT_EQ(report.findings[0].space, "global");
    EXPECT_NE(in_english(report.findings[0].message)
                  .find("while an asynchronous copy may still be reading it. The same thread began that copy (line 10)"),
              std::string::npos)
        << in_english(report.findings[0].message);
  }
}

TEST(RacesCopies, ReadingTheSourceIsHarmless) {
  Script script(race, two_warps());
  copy_tile(script, warp0);
  script.load(load_line, {1, 0}, all_lanes, elements_from(0));
  copy_tile(script, {1, 0});
  EXPECT_EQ(races(script), 0u);
}

TEST(RacesCopies, AStageIsRefilledWhenAllHaveReadIt) {
  for (const bool barrier : {false, true}) {
    Script script(race, two_warps());
    for (const vm::WarpId warp : {warp0, warp1}) {
      copy_tile(script, warp);
      script.commit(warp, all_lanes);
      script.wait(warp, all_lanes, 0);
    }
    script.barrier(0);
    load_tile(script, warp1, words_from(0));
    if (barrier) script.barrier(0);
    copy_tile(script, warp0);
    EXPECT_EQ(races(script), barrier ? 0u : 1u);
  }
}

/// cp.async.bulk from shared memory: what it reads may be overwritten behind a wait with .read, what it writes not yet be read.
TEST(RacesCopies, BulkGroupsReadBeforeTheyWrite) {
  for (const bool waits : {false, true})
    for (const bool sources_only : {false, true})
      for (const bool writes_source : {false, true}) {
        Script script(race, two_warps());
        script.copy(copy_line, Copy::bulk_group, warp0, one_lane(0), word(0), Space::shared, element(0), Space::global);
        script.commit(warp0, one_lane(0), Copy::bulk_group);
        if (waits) script.wait(warp0, one_lane(0), 0, Copy::bulk_group, sources_only);
        if (writes_source)
          script.store(store_line, warp0, one_lane(0), word(0), shared_access());
        else
          script.load(load_line, warp0, one_lane(0), element(0));
        EXPECT_EQ(races(script), !waits || (sources_only && !writes_source) ? 1u : 0u) << waits << sources_only << writes_source;
      }
}

/// A copy whose bytes an mbarrier counts, and who may read what it has copied.
TEST(RacesCopies, AnMbarrierTellsThatACopyHasCome) {
  enum class By { nobody, barrier, reader, wrong_mbarrier };
  for (const By by : {By::nobody, By::barrier, By::reader, By::wrong_mbarrier}) {
    Script script(race, two_warps());
    script.copies(arrive_line, Copy::has_come);
    const auto mbarrier = [](std::uint64_t which) { return word(512 + 2 * which); };
    for (const std::uint64_t which : {0, 1}) {
      script.copy(copy_line, Copy::counted, warp0, one_lane(0), element(4 * which), Space::global, word(4 * which), Space::shared);
      vm::Access come = shared_access();
      come.bytes = 8;
      come.order = ptx::Order::release;
      come.scope = ptx::Scope::cta;
      come.barrier_object = vm::Access::BarrierObject::arrival;
      come.ended_phase = one_lane(0);
      script.atomic(arrive_line, warp0, one_lane(0), mbarrier(which), come);
    }
    vm::Access wait = shared_access();
    wait.bytes = 8;
    wait.order = ptx::Order::acquire;
    wait.scope = ptx::Scope::cta;
    wait.barrier_object = vm::Access::BarrierObject::wait;
    wait.ended_phase = one_lane(3);
    const vm::WarpId waits = by == By::barrier ? warp0 : warp1;
    if (by != By::nobody) script.atomic(40, waits, one_lane(3), mbarrier(by == By::wrong_mbarrier ? 0 : 1), wait);
    if (by == By::nobody || by == By::barrier) script.barrier(0);
    script.load(load_line, warp1, one_lane(3), word(4), shared_access());
    EXPECT_EQ(races(script), by == By::nobody || by == By::wrong_mbarrier ? 1u : 0u) << static_cast<int>(by);
  }
}

TEST(RacesCopies, TheToolkitsTwinsAreOneCopy) {
  for (const bool toolkit : {false, true}) {
    Script script(race, two_warps());
    if (toolkit) script.in_toolkit(copy_line);
    script.values.fill(7);
    script.copy(copy_line, Copy::group, warp0, all_lanes, element(5), Space::global, word(5), Space::shared);
    EXPECT_EQ(races(script), toolkit ? 0u : 1u);
  }
}

/// What is never waited for takes no more and more memory, and accuses nobody later.
TEST(RacesCopies, CopiesThatNobodyWaitsForAreForgottenSomeTime) {
  Script script(race, two_warps());
  for (int k = 0; k < 10'000; ++k) copy_tile(script, warp0, 64 * (k % 8));
  script.commit(warp0, all_lanes);
  script.wait(warp0, all_lanes, 0);
  script.end_block(0);
  script.store(store_line, warp0, all_lanes, elements_from(512));
  EXPECT_GE(races(script), 1u);  // copies to one place, one behind the other
}

}  // namespace
}  // namespace warpbook::gpu::watch
