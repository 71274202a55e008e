// Lesson 20: what the order of memory events promises, against what the race detector finds and against arithmetic from the page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lessons/20_memory_model/events.h"
#include "lessons/20_memory_model/happens_before.h"
#include "lessons/20_memory_model/ordering.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::figure;
using testing::findings;
using testing::LessonRunOnce;
using testing::number;

class MemoryModel : public LessonRunOnce {
 protected:
  MemoryModel() : LessonRunOnce("20") {}
};

// ---- What an instruction of PTX does ----

MemoryEvent read(std::string_view ptx) {
  MemoryEvent event;
  EXPECT_TRUE(read_instruction(ptx, event)) << ptx;
  return event;
}

TEST(MemoryEvents, AreReadFromTheirInstructions) {
  using Kind = MemoryEvent::Kind;
  using Scope = MemoryEvent::Scope;
  EXPECT_EQ(read("st.global.u32 [%rd16], %r27;").kind, Kind::store);
  EXPECT_FALSE(read("st.global.u32 [%rd16], %r27;").is_volatile);
  EXPECT_TRUE(read("ld.volatile.global.u32 %r1, [%rd1];").is_volatile);
  EXPECT_EQ(read("@%p1 ld.global.u32 %r1, [%rd1];").kind, Kind::load);
  EXPECT_EQ(read("membar.gl;").kind, Kind::fence);
  EXPECT_EQ(read("membar.gl;").scope, Scope::device);
  EXPECT_EQ(read("membar.cta;").scope, Scope::block);
  EXPECT_TRUE(read("membar.gl;").releases && read("membar.gl;").acquires);
  EXPECT_TRUE(read("fence.acq_rel.gpu;").releases && read("fence.sc.sys;").acquires);
  EXPECT_FALSE(read("fence.acquire.gpu;").releases);
  const MemoryEvent plain = read("atom.global.add.u32 %r3, [%rd1], 1;");
  EXPECT_TRUE(plain.kind == Kind::atomic && !plain.acquires && !plain.releases && plain.scope == Scope::device);
  const MemoryEvent both = read("atom.add.acq_rel.cta.s32 %r27,[%rd8],%r28;");
  EXPECT_TRUE(both.kind == Kind::atomic && both.acquires && both.releases && both.scope == Scope::block);
  EXPECT_EQ(read("ld.relaxed.gpu.s32 %r1, [%rd1];").kind, Kind::load) << "it may be of global memory";
  EXPECT_EQ(read("bar.sync 0;").kind, Kind::barrier);
  MemoryEvent none;
  for (const char* other : {"ld.shared.u32 %r1, [%rd1];", "atom.shared.add.u32 %r1, [%rd1], 1;", "add.s32 %r1, %r2, %r3;",
                            "ld.param.u64 %rd1, [total_param_0];", "fence.proxy.async;", "st.local.u32 [%rd1], %r1;"})
    EXPECT_FALSE(read_instruction(other, none)) << other;
}

// ---- What happens before what, on events of the test's own ----

MemoryEvent event_of(MemoryEvent::Kind kind, std::uint32_t block, bool orders = false,
                     MemoryEvent::Scope scope = MemoryEvent::Scope::device) {
  return {.kind = kind, .scope = scope, .acquires = orders, .releases = orders, .block = block, .buffer = 1};
}
MemoryEvent fence_of(std::uint32_t block, MemoryEvent::Scope scope = MemoryEvent::Scope::device) {
  return event_of(MemoryEvent::Kind::fence, block, true, scope);
}

TEST(HappensBefore, NeedsAReleaseAndAnAcquireOfTheRightScope) {
  using Kind = MemoryEvent::Kind;
  using Scope = MemoryEvent::Scope;
  // store; [fence]; atomic │ atomic; [fence]; load
  for (const int before : {0, 1, 2})  // no fence, one for the block, one for the device
    for (const int behind : {0, 1, 2})
      for (const int atomics : {0, 1, 2}) {  // relaxed, acq_rel for the block, acq_rel for the device
        std::vector<MemoryEvent> events = {event_of(Kind::store, 0)};
        if (before > 0) events.push_back(fence_of(0, before == 1 ? Scope::block : Scope::device));
        events.push_back(event_of(Kind::atomic, 0, atomics > 0, atomics == 1 ? Scope::block : Scope::device));
        events.push_back(event_of(Kind::atomic, 1, atomics > 0, atomics == 1 ? Scope::block : Scope::device));
        if (behind > 0) events.push_back(fence_of(1, behind == 1 ? Scope::block : Scope::device));
        events.push_back(event_of(Kind::load, 1));
        const bool expected = atomics == 2 || (atomics == 0 && before == 2 && behind == 2);
        const HappensBefore order(events);
        EXPECT_EQ(order.before(0, events.size() - 1), expected) << before << behind << atomics;
        EXPECT_FALSE(order.before(events.size() - 1, 0));
      }
}

TEST(HappensBefore, GoesOnThroughOtherAtomicsAndOtherThreads) {
  using Kind = MemoryEvent::Kind;
  // Block 0 releases; block 1 counts there without any fence; block 2 acquires what both left.
  const std::vector<MemoryEvent> events = {
      event_of(Kind::store, 0),  fence_of(0), event_of(Kind::atomic, 0), event_of(Kind::store, 1), event_of(Kind::atomic, 1),
      event_of(Kind::atomic, 2), fence_of(2), event_of(Kind::load, 2)};
  const HappensBefore order(events);
  EXPECT_TRUE(order.before(0, 7));
  EXPECT_FALSE(order.before(3, 7)) << "block 1 released nothing";
  EXPECT_FALSE(order.before(0, 4));
  EXPECT_TRUE(order.before(0, 1));
  EXPECT_FALSE(order.before(1, 1));
}

TEST(HappensBefore, TicketsTakenBeforeTheReleaseSayNothing) {
  using Kind = MemoryEvent::Kind;
  // Block 1's atomic comes first: it has seen nothing of block 0.
  const std::vector<MemoryEvent> events = {
      event_of(Kind::atomic, 1), event_of(Kind::store, 0), fence_of(0), event_of(Kind::atomic, 0), fence_of(1),
      event_of(Kind::load, 1)};
  EXPECT_FALSE(HappensBefore(events).before(1, 5));
}

// ---- The lesson ----

/// The sum of all values, added up here.
std::int64_t right_sum(int blocks) {
  std::mt19937_64 random(20);
  std::int64_t sum = 0;
  for (int i = 0; i < blocks * 128; ++i) sum += 1 + static_cast<std::int64_t>(random() % 24);
  return sum;
}

struct Expected {
  const char* version;
  bool promised;
  std::size_t missing;  // arrows
};

TEST_F(MemoryModel, PromisesWhatTheDetectorFindsInOrder) {
  // The table of the page.
  constexpr Expected table[] = {{"ticket", false, 2},      {"one_fence", false, 1},    {"two_fences", true, 0},
                                {"volatile", false, 2},    {"block_fences", false, 2}, {"acq_rel", true, 0},
                                {"block_scope", false, 1}, {"barrier", false, 1}};
  for (const Expected& expected : table) {
    SCOPED_TRACE(expected.version);
    const Outcome& outcome = run({{"version", expected.version}});
    EXPECT_EQ(number(outcome, "promised"), expected.promised ? 15 : 0);
    EXPECT_EQ(number(outcome, "promised_share"), expected.promised ? 100 : 0);
    EXPECT_EQ(number(outcome, "should_be"), static_cast<double>(right_sum(16)));
    const auto& ordering = figure<Ordering>(outcome);
    EXPECT_EQ(ordering.promised(), expected.promised);
    EXPECT_EQ(std::ranges::count(ordering.arrows, false, &Ordering::Arrow::promised),
              static_cast<std::ptrdiff_t>(expected.missing));
    EXPECT_EQ(ordering.may_see.size(), expected.promised ? 1U : 2U);
    EXPECT_NE(std::ranges::find(ordering.may_see, ordering.saw), ordering.may_see.end());
    EXPECT_EQ(number(outcome, "least") == number(outcome, "should_be"), expected.promised);
    // Independent of our events: the race detector names the store into partial exactly where it is not promised.
    const auto races = findings(outcome, gpu::FindingKind::race);
    EXPECT_EQ(std::ranges::any_of(races, [](const gpu::Finding& race) { return race.buffer == "partial"; }), !expected.promised);
    if (expected.promised) { EXPECT_TRUE(races.empty()); }
  }
}

TEST_F(MemoryModel, TheLeastSumIsTheAddingBlocksOwn) {
  const Outcome& outcome = run({{"version", "ticket"}});
  const auto& ordering = figure<Ordering>(outcome);
  const std::uint32_t adder = ordering.columns.at(1).block;
  std::mt19937_64 random(20);
  std::int64_t own = 0;
  for (std::uint32_t i = 0; i < 16 * 128; ++i) {
    const auto value = 1 + static_cast<std::int64_t>(random() % 24);
    if (i / 128 == adder) own += value;
  }
  EXPECT_EQ(number(outcome, "least"), static_cast<double>(own));
}

TEST_F(MemoryModel, VolatilePromisesNothingWhateverIsChosen) {
  for (const char* version : {"ticket", "two_fences", "acq_rel"})
    EXPECT_EQ(number(run({{"version", version}}), "volatile_share"), 0) << version;
}

TEST_F(MemoryModel, AsManyBlocksAsThereAre) {
  for (const char* blocks : {"2", "64"}) {
    const Outcome& outcome = run({{"version", "two_fences"}, {"blocks", blocks}});
    EXPECT_EQ(number(outcome, "promised"), std::stoi(blocks) - 1);
    EXPECT_EQ(number(outcome, "first_sum"), static_cast<double>(right_sum(std::stoi(blocks))));
  }
}

TEST_F(MemoryModel, WithoutAResetTheSecondLaunchHasNoLastBlock) {
  for (const char* version : {"ticket", "two_fences", "acq_rel"}) {
    const Outcome &with = run({{"version", version}}), &without = run({{"version", version}, {"reset", "off"}});
    EXPECT_EQ(number(with, "second_sum"), static_cast<double>(right_sum(16))) << version;
    EXPECT_EQ(number(without, "first_sum"), static_cast<double>(right_sum(16))) << version;
    EXPECT_EQ(number(without, "second_sum"), 0) << version;
    EXPECT_NE(without.note.find("no block took the last ticket"), std::string::npos) << without.note;
  }
}

TEST_F(MemoryModel, ABarrierDoesNotWaitForOtherBlocks) {
  // More blocks than fit at once: block 0 adds before the last ones have begun.
  const Outcome& outcome = preset("__syncthreads()");
  EXPECT_LT(number(outcome, "first_sum"), number(outcome, "should_be"));
  const auto& ordering = figure<Ordering>(outcome);
  EXPECT_EQ(ordering.saw, "0");
  EXPECT_EQ(ordering.columns.at(1).block, 0U);
}

TEST_F(MemoryModel, TheFigureNamesTheLinesWhereAFenceIsMissing) {
  const auto& ordering = figure<Ordering>(run({{"version", "one_fence"}}));
  ASSERT_EQ(ordering.events.size(), 5U);
  std::string words;
  for (const Ordering::Event& event : ordering.events) {
    words += fmt::format("{} ", name_of(event.what));
    const bool found = event.what == Ordering::What::fence    ? line(event.line).find("__threadfence()") != std::string::npos
                       : event.what == Ordering::What::atomic ? line(event.line).find("atomicAdd(count") != std::string::npos
                                                              : line(event.line).find("partial[b") != std::string::npos;
    EXPECT_TRUE(found) << event.words << ": " << line(event.line);
  }
  EXPECT_EQ(words, "store fence atomic atomic load ");
  const auto missing = std::ranges::find(ordering.arrows, false, &Ordering::Arrow::promised);
  ASSERT_NE(missing, ordering.arrows.end());
  EXPECT_EQ(ordering.events[missing->from].what, Ordering::What::atomic);
  EXPECT_EQ(ordering.events[missing->to].what, Ordering::What::load);
  EXPECT_NE(missing->sentence.find("__threadfence()"), std::string::npos) << missing->sentence;
}

TEST_F(MemoryModel, TheReportNamesTheMissingFenceToo) {
  const auto races = findings(run({{"version", "one_fence"}}), gpu::FindingKind::race);
  ASSERT_FALSE(races.empty());
  EXPECT_NE(in_english(races[0].message).find("Call __threadfence() between line"), std::string::npos)
      << in_english(races[0].message);
  const auto of_block = findings(run({{"version", "block_fences"}}), gpu::FindingKind::race);
  ASSERT_FALSE(of_block.empty());
  EXPECT_NE(in_english(of_block[0].message).find("count within their own block only"), std::string::npos)
      << in_english(of_block[0].message);
}

}  // namespace
}  // namespace warpbook::lessons
