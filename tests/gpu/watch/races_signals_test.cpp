// What is a race between atomics, and between threads that signal to each other: flags, locks, counters, named barriers. The rest
// is in races_test.cpp.
#include <gtest/gtest.h>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

vm::Access ordered_as(ptx::Order order, ptx::Scope scope = ptx::Scope::gpu) {
  vm::Access access;
  access.order = order;
  access.scope = scope;
  return access;
}

// ---- Atomics

TEST(Races, AtomicsNeverRaceWithEachOther) {
  Script script(race, {.grid = {2}, .block = {64}});
  for (const std::uint32_t block : {0u, 1u})
    for (const std::uint32_t warp : {0u, 1u}) script.atomic(5, {block, warp}, all_lanes, element(0));
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, AtomicAndPlain) {
  for (const bool atomic_first : {false, true}) {
    Script script(race, {.grid = {2}});
    if (atomic_first) script.atomic(5, {0, 0}, one_lane(0), element(0));
    script.store(6, {1, 0}, one_lane(0), element(0));
    if (!atomic_first) script.atomic(5, {0, 0}, one_lane(0), element(0));
    const LaunchReport report = script.report();
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].at.line, 6u);  // the plain one
    EXPECT_NE(in_english(report.findings[0].message).find("only against other atomics"), std::string::npos);
  }
}

TEST(Races, InitialisedByOneBlockAddedToByAll) {
  // if (block 0, thread 0) sum = 0; __syncthreads(); atomicAdd(&sum, 1): the store is ordered with block 0's atomics alone.
  Script script(race, {.grid = {2}});
  script.store(5, {0, 0}, one_lane(0), element(0));
  script.barrier(0);
  script.atomic(7, {0, 0}, all_lanes, element(0));
  script.atomic(7, {1, 0}, all_lanes, element(0));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, PlainReadAfterTheBarrierOfItsOwnBlockAlone) {
  Script script(race, {.grid = {2}});
  script.atomic(5, {0, 0}, all_lanes, element(0));
  script.barrier(0);
  script.load(7, {0, 0}, one_lane(0), element(0));
  EXPECT_EQ(races(script), 0u);
  Script guilty(race, {.grid = {2}});
  guilty.atomic(5, {0, 0}, all_lanes, element(0));
  guilty.barrier(1);
  guilty.load(7, {1, 0}, one_lane(0), element(0));
  EXPECT_EQ(races(guilty), 1u);
}

TEST(Races, AtomicsBesideBytes) {
  // A byte was written in word 3, so that the words around it go by the byte; word 1 is counted in, and nobody touches word 0.
  Script script(race, {.grid = {2}});
  vm::Access byte;
  byte.bytes = 1;
  script.store(5, {0, 0}, one_lane(0), element(3), byte);
  for (const unsigned lane : {0u, 1u, 2u}) script.atomic(7, {0, 0}, one_lane(lane), element(1));
  script.load(9, {1, 0}, one_lane(0), element(0));
  EXPECT_EQ(races(script), 0u);
  script.load(11, {1, 0}, one_lane(0), element(1));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, BlockScopeAtomicsOfTwoBlocks) {
  Script script(race, {.grid = {2}});
  for (const std::uint32_t block : {0u, 1u})
    script.atomic(5, {block, 0}, all_lanes, element(0), ordered_as(ptx::Order::relaxed, ptx::Scope::cta));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(in_english(report.findings[0].message).find("block scope"), std::string::npos);
}

TEST(Races, OneBlockScopeAtomicAmongMany) {
  Script script(race, {.grid = {4}});
  for (int turn = 0; turn < 2; ++turn)
    for (const std::uint32_t block : {0u, 1u, 2u}) script.atomic(5, {block, 0}, all_lanes, element(0));
  EXPECT_EQ(races(script), 0u);
  script.atomic(7, {3, 0}, one_lane(0), element(0), ordered_as(ptx::Order::relaxed, ptx::Scope::cta));
  EXPECT_EQ(races(script), 1u);
}

/// Lines that race where one thread of block 0 or 2 stores plainly into what all count in: before, or in between.
std::size_t lines_that_race(std::uint32_t block, bool first, bool barrier) {
  Script script(race, {.grid = {4}});
  const auto count = [&](std::uint32_t line, std::uint32_t of) { script.atomic(line, {of, 0}, one_lane(1), element(0)); };
  const auto store = [&] { script.store(5, {block, 0}, one_lane(0), element(0)); };
  if (first) store();
  if (barrier) script.barrier(0);
  for (const std::uint32_t of : {0u, 1u, 0u, 1u}) count(7, of);
  if (!first) store();
  count(9, 3);
  return races(script);
}

TEST(Races, EveryLineThatCountsRacesWithAStore) {
  for (const std::uint32_t block : {0u, 2u})
    for (const bool first : {false, true})
      for (const bool barrier : {false, true}) EXPECT_EQ(lines_that_race(block, first, barrier), 2u) << block << first << barrier;
}

TEST(Races, EveryLineThatCountsRacesWithAStoreOfItsWarp) {
  Script script(race);
  script.store(5, {0, 0}, one_lane(0), element(0));
  for (const unsigned lane : {0u, 1u, 0u}) script.atomic(7, {0, 0}, one_lane(lane), element(0));
  script.atomic(9, {0, 0}, one_lane(2), element(0));
  EXPECT_EQ(races(script), 2u);
}

// ---- Signals

/// Blocks count, release what they did, and perhaps count again; another acquires and reads.
std::size_t counters_released(bool again) {
  Script script(race, {.grid = {3}});
  for (int turn = 0; turn < 3; ++turn)
    for (const std::uint32_t block : {0u, 1u}) script.atomic(5, {block, 0}, one_lane(0), element(0));
  for (const std::uint32_t block : {0u, 1u})
    script.atomic(7, {block, 0}, one_lane(0), element(100), ordered_as(ptx::Order::release));
  if (again) script.atomic(8, {0, 0}, one_lane(0), element(0));
  script.load(9, {2, 0}, one_lane(0), element(100), ordered_as(ptx::Order::acquire));
  script.load(10, {2, 0}, one_lane(0), element(0));
  return races(script);
}

/// Behind a barrier a warp counts once more; the first warp releases.
std::size_t counted_by(std::uint32_t warp) {
  Script script(race, {.grid = {3}, .block = {64}});
  for (const std::uint32_t block : {0u, 1u, 0u, 1u}) script.atomic(5, {block, 0}, one_lane(0), element(0));
  script.barrier(0);
  script.atomic(6, {0, warp}, one_lane(0), element(0));
  for (const std::uint32_t block : {0u, 1u})
    script.atomic(7, {block, 0}, one_lane(0), element(100), ordered_as(ptx::Order::release));
  script.load(9, {2, 0}, one_lane(0), element(100), ordered_as(ptx::Order::acquire));
  script.load(10, {2, 0}, one_lane(0), element(0));
  return races(script);
}

TEST(Races, WhoCountedLastReleases) { EXPECT_EQ(counted_by(0), 0u); }
TEST(Races, AnotherWarpCountedLast) { EXPECT_EQ(counted_by(1), 1u); }
TEST(Races, CountersReadBehindARelease) { EXPECT_EQ(counters_released(false), 0u); }
TEST(Races, CountersThatCountAgainBehindTheRelease) { EXPECT_EQ(counters_released(true), 1u); }

/// Every block writes a partial sum, signals through a counter, and the last one reads them all.
std::size_t last_block(bool fence, bool barrier_after, ptx::Scope scope = ptx::Scope::gpu) {
  Script script(race, {.grid = {4}, .block = {64}});
  for (std::uint32_t block = 0; block < 4; ++block) {
    script.store(5, {block, 0}, one_lane(0), element(block));
    if (fence) script.fence({block, 0}, one_lane(0), scope);
    script.atomic(7, {block, 0}, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
    if (barrier_after) script.barrier(block);
    if (block == 3) script.load(9, {block, 1}, 0b1111, elements_from(0));
    script.end_block(block);
  }
  return races(script);
}

TEST(Races, LastBlockWithFence) { EXPECT_EQ(last_block(true, true), 0u); }
TEST(Races, LastBlockWithoutFence) { EXPECT_EQ(last_block(false, true), 1u); }
TEST(Races, LastBlockWithAFenceOfTheBlockOnly) { EXPECT_EQ(last_block(true, true, ptx::Scope::cta), 1u); }
TEST(Races, LastBlockThatDoesNotWaitForItsOwnSignal) { EXPECT_EQ(last_block(true, false), 1u); }

/// A thread releases to the whole device; another of the same block or of another one acquires with a fence of this scope.
std::size_t acquired_with(ptx::Scope scope, std::uint32_t reader, bool again_with_device = false, bool has_counted_itself = false) {
  Script script(race, {.grid = {2}, .block = {64}});
  const vm::WarpId warp{reader, 1};
  if (has_counted_itself) {
    script.fence(warp, one_lane(0));
    script.atomic(4, warp, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
  }
  script.store(5, {0, 0}, one_lane(0), element(0));
  script.fence({0, 0}, one_lane(0));
  script.atomic(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
  script.atomic(7, warp, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
  script.fence(warp, one_lane(0), scope);
  if (again_with_device) script.fence(warp, one_lane(0));
  script.load(9, warp, one_lane(0), element(0));
  return races(script);
}

TEST(Races, AFenceOfTheBlockAcquiresFromItsOwnBlockOnly) {
  EXPECT_EQ(acquired_with(ptx::Scope::gpu, 1), 0u);
  EXPECT_EQ(acquired_with(ptx::Scope::cta, 1), 1u);
  EXPECT_EQ(acquired_with(ptx::Scope::cta, 1, false, true), 1u) << "what it has signalled itself says nothing of others";
  EXPECT_EQ(acquired_with(ptx::Scope::cta, 1, true), 0u) << "a fence of the device behind it acquires";
  EXPECT_EQ(acquired_with(ptx::Scope::cta, 0), 0u) << "of the same block";
}

TEST(Races, WhatAThreadOfTheBlockHasLearnedOfOthersGoesOnWithIt) {
  // Block 0 releases; a thread of block 1 acquires for the device and releases; its neighbour acquires for the block.
  Script script(race, {.grid = {2}, .block = {64}});
  script.store(5, {0, 0}, one_lane(0), element(0));
  script.fence({0, 0}, one_lane(0));
  script.atomic(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
  script.atomic(7, {1, 0}, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
  script.fence({1, 0}, one_lane(0));
  script.atomic(8, {1, 0}, one_lane(0), element(200), ordered_as(ptx::Order::relaxed));
  script.atomic(9, {1, 1}, one_lane(0), element(200), ordered_as(ptx::Order::relaxed));
  script.fence({1, 1}, one_lane(0), ptx::Scope::cta);
  script.load(10, {1, 1}, one_lane(0), element(0));
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, AnAtomicThatReleasesIsItselfBeforeWhatAcquires) {
  // The last one to count sets the counter back with a plain store.
  for (const bool releases : {true, false}) {
    const ptx::Order order = releases ? ptx::Order::acq_rel : ptx::Order::relaxed;
    Script script(race, {.grid = {2}});
    for (const std::uint32_t block : {0u, 1u}) {
      script.fence({block, 0}, one_lane(0));
      script.atomic(7, {block, 0}, one_lane(0), element(100), ordered_as(order));
    }
    script.fence({1, 0}, one_lane(0));
    script.store(9, {1, 0}, one_lane(0), element(100));
    EXPECT_EQ(races(script), releases ? 0u : 1u) << "behind a fence the atomic is not released by it";
  }
}

TEST(Races, EverybodyFencesThenABarrierThenOneSignals) {
  for (const std::uint32_t threads : {64u, 48u}) {
    Script script(race, {.grid = {2}, .block = {threads}});
    for (const std::uint32_t warp : {0u, 1u}) {
      const std::uint32_t lanes = warp == 0 || threads == 64 ? all_lanes : 0xffff;
      script.store(5, {0, warp}, lanes, elements_from(32 * warp));
      script.fence({0, warp}, lanes);
    }
    script.barrier(0);
    script.atomic(7, {0, 0}, one_lane(0), element(100));
    script.atomic(7, {1, 0}, one_lane(0), element(100));
    script.fence({1, 0}, one_lane(0));
    script.load(9, {1, 0}, one_lane(0), element(threads - 1));
    EXPECT_EQ(races(script), 0u);
    script.load(9, {1, 0}, one_lane(1), element(threads - 1));  // a neighbour has acquired nothing
    EXPECT_EQ(races(script), 1u);
  }
}

TEST(Races, OthersFencesOfTheBlockReleaseNothingToTheGrid) {
  Script script(race, {.grid = {2}, .block = {64}});
  for (const std::uint32_t warp : {0u, 1u}) {
    script.store(5, {0, warp}, all_lanes, elements_from(32 * warp));
    script.fence({0, warp}, all_lanes, warp == 0 ? ptx::Scope::gpu : ptx::Scope::cta);
  }
  script.barrier(0);
  script.atomic(7, {0, 0}, one_lane(0), element(100));
  script.atomic(7, {1, 0}, one_lane(0), element(100));
  script.fence({1, 0}, one_lane(0));
  script.load(9, {1, 0}, one_lane(0), element(0));
  EXPECT_EQ(races(script), 0u);
  script.load(9, {1, 0}, one_lane(0), element(63));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, AFenceBeforeTheWarpMeetsReleasesNothingOfItsNeighbours) {
  for (const bool some_meet_again : {false, true}) {
    Script script(race, {.grid = {2}});
    script.store(5, {0, 0}, one_lane(1), element(0));
    script.fence({0, 0}, one_lane(0));
    script.syncwarp({0, 0});
    if (some_meet_again) script.syncwarp({0, 0}, 0b1100);
    script.atomic(7, {0, 0}, one_lane(0), element(100));
    script.atomic(7, {1, 0}, one_lane(0), element(100));
    script.fence({1, 0}, one_lane(0));
    script.load(9, {1, 0}, one_lane(0), element(0));
    EXPECT_EQ(races(script), 1u) << some_meet_again;
  }
}

std::size_t spin_lock(bool fences) {
  Script script(race, {.grid = {3}, .block = {64}});
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    const vm::WarpId warp{turn % 3, turn / 3};
    script.atomic(5, warp, one_lane(turn), element(100));
    if (fences) script.fence(warp, one_lane(turn));
    script.load(7, warp, one_lane(turn), element(0));
    script.store(7, warp, one_lane(turn), element(0));
    if (fences) script.fence(warp, one_lane(turn));
    script.atomic(9, warp, one_lane(turn), element(100));
  }
  return races(script);
}

TEST(Races, SpinLockWithFences) { EXPECT_EQ(spin_lock(true), 0u); }
TEST(Races, SpinLockWithoutFences) { EXPECT_EQ(spin_lock(false), 1u); }

TEST(Races, TwoLocksProtectTwoThings) {
  // What one lock protects is not protected by another.
  Script script(race, {.grid = {2}});
  for (std::uint32_t block = 0; block < 2; ++block) {
    script.atomic(5, {block, 0}, one_lane(0), element(100 + block));
    script.fence({block, 0}, one_lane(0));
    script.store(7, {block, 0}, one_lane(0), element(0));
    script.fence({block, 0}, one_lane(0));
    script.atomic(9, {block, 0}, one_lane(0), element(100 + block));
  }
  EXPECT_EQ(races(script), 1u);
}

std::size_t volatile_flag(bool writer_fence, bool reader_fence) {
  Script script(race, {.grid = {2}});
  script.store(5, {0, 0}, one_lane(0), element(0));
  if (writer_fence) script.fence({0, 0}, one_lane(0));
  script.load(8, {1, 0}, one_lane(0), element(100), ordered_as(ptx::Order::volatile_, ptx::Scope::none));  // not yet
  script.store(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::volatile_, ptx::Scope::none));
  script.load(8, {1, 0}, one_lane(0), element(100), ordered_as(ptx::Order::volatile_, ptx::Scope::none));
  if (reader_fence) script.fence({1, 0}, one_lane(0));
  script.load(9, {1, 0}, one_lane(0), element(0));
  return races(script);
}

TEST(Races, VolatileFlagWithFences) { EXPECT_EQ(volatile_flag(true, true), 0u); }
TEST(Races, VolatileFlagWhoseReaderDoesNotFence) { EXPECT_EQ(volatile_flag(true, false), 1u); }
TEST(Races, VolatileFlagWithoutFences) { EXPECT_EQ(volatile_flag(false, false), 2u); }  // the flag, and what it guards

TEST(Races, VolatileIsNotAtomic) {
  Script script(race, {.grid = {2}});
  for (const std::uint32_t block : {0u, 1u}) {
    script.load(5, {block, 0}, one_lane(0), element(0), ordered_as(ptx::Order::volatile_, ptx::Scope::none));
    script.store(5, {block, 0}, one_lane(0), element(0), ordered_as(ptx::Order::volatile_, ptx::Scope::none));
  }
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, TwoVolatileSignals) {
  for (const std::uint64_t second : {0x01020304u, 0x01020305u, 0x02020304u})
    for (const bool bytes : {false, true}) {
      Script script(race, {.grid = {2}});
      for (const std::uint32_t block : {0u, 1u}) {
        script.fence({block, 0}, one_lane(0));
        script.values.fill(block == 0 ? 0x01020304u : second);
        script.store(5, {block, 0}, one_lane(0), element(0), ordered_as(ptx::Order::volatile_, ptx::Scope::none));
        vm::Access byte;
        byte.bytes = 1;
        if (bytes && block == 0) script.store(6, {0, 0}, one_lane(0), element(3), byte);  // in the same sector
      }
      EXPECT_EQ(races(script), second == 0x01020304u ? 0u : 1u);
    }
}

TEST(Races, AByteIsStoredWhereAWordWasReadAsAtomic) {
  Script script(race, {.grid = {2}});
  script.load(5, {0, 0}, one_lane(0), element(0), ordered_as(ptx::Order::relaxed));
  vm::Access byte;
  byte.bytes = 1;
  script.store(6, {1, 0}, one_lane(0), element(0), byte);
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, ReleaseStoreAcquireLoad) {
  for (const bool acquire : {true, false}) {
    Script script(race, {.grid = {2}});
    script.store(5, {0, 0}, one_lane(0), element(0));
    script.store(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::release));
    script.load(8, {1, 0}, one_lane(0), element(100), ordered_as(acquire ? ptx::Order::acquire : ptx::Order::relaxed));
    script.load(9, {1, 0}, one_lane(0), element(0));
    EXPECT_EQ(races(script), acquire ? 0u : 1u);
  }
}

TEST(Races, OrderIsHandedOn) {
  // Block 0 → block 1 → block 2, through two flags.
  Script script(race, {.grid = {3}});
  script.store(5, {0, 0}, one_lane(0), element(0));
  script.store(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::release));
  script.load(7, {1, 0}, one_lane(0), element(100), ordered_as(ptx::Order::acquire));
  script.store(8, {1, 0}, one_lane(0), element(200), ordered_as(ptx::Order::release));
  script.load(9, {2, 0}, one_lane(0), element(200), ordered_as(ptx::Order::acquire));
  script.store(10, {2, 0}, one_lane(0), element(0));
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, AnOverwrittenSignalOrdersNothing) {
  Script script(race, {.grid = {3}});
  script.store(5, {0, 0}, one_lane(0), element(0));
  script.store(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::release));
  script.store(7, {1, 0}, one_lane(0), element(100), ordered_as(ptx::Order::relaxed));
  script.load(8, {2, 0}, one_lane(0), element(100), ordered_as(ptx::Order::acquire));
  script.load(9, {2, 0}, one_lane(0), element(0));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, GridBarrier) {
  // Each block writes, all arrive at a counter, each reads its neighbour: three rounds over two buffers.
  constexpr std::uint32_t blocks = 4;
  for (const bool double_buffered : {true, false}) {
    Script script(race, {.grid = {blocks}, .block = {64}});
    for (std::uint32_t round = 0; round < 3; ++round) {
      const std::uint64_t to = double_buffered && round % 2 ? 256 : 0;
      for (std::uint32_t block = 0; block < blocks; ++block) {
        script.store(5, {block, 0}, all_lanes, elements_from(to + 64 * block));
        script.store(5, {block, 1}, all_lanes, elements_from(to + 64 * block + 32));
        script.barrier(block);
        script.fence({block, 0}, one_lane(0));
        script.atomic(7, {block, 0}, one_lane(0), element(1000));
      }
      for (std::uint32_t block = 0; block < blocks; ++block) {
        script.load(8, {block, 0}, one_lane(0), element(1000), ordered_as(ptx::Order::volatile_, ptx::Scope::none));
        script.fence({block, 0}, one_lane(0));
        script.barrier(block);
        for (const std::uint32_t warp : {0u, 1u})
          script.load(9, {block, warp}, all_lanes, elements_from(to + 64 * ((block + 1) % blocks) + 32 * warp));
      }
    }
    EXPECT_EQ(races(script), double_buffered ? 0u : 1u);
  }
}

TEST(Races, NamedBarrierOrdersItsWarps) {
  for (const bool takes_part : {true, false}) {
    Script script(race, {.block = {96}});
    script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
    script.named_barrier(0, {0, 1});
    script.load(7, {0, takes_part ? 1u : 2u}, all_lanes, words_from(0), shared_access());
    EXPECT_EQ(races(script), takes_part ? 0u : 1u);
  }
}

TEST(Races, NamedBarriersHandOrderOn) {
  for (const std::uint32_t reader : {2u, 3u}) {
    Script script(race, {.block = {128}});
    script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
    script.named_barrier(0, {0, 1});
    script.named_barrier(0, {1, 2});
    script.load(7, {0, reader}, all_lanes, words_from(0), shared_access());
    EXPECT_EQ(races(script), reader == 2 ? 0u : 1u);
  }
}

TEST(Races, NamedBarriersHandOnWhatIsAcquired) {
  for (const ptx::Order order : {ptx::Order::acquire, ptx::Order::relaxed})
    for (const std::uint32_t reader : {1u, 2u}) {
      Script script(race, {.grid = {2}, .block = {96}});
      script.store(5, {0, 0}, one_lane(0), element(0));
      script.store(6, {0, 0}, one_lane(0), element(100), ordered_as(ptx::Order::release));
      script.load(8, {1, 0}, one_lane(0), element(100), ordered_as(order));
      script.named_barrier(1, {0, 1});
      script.load(9, {1, reader}, one_lane(7), element(0));
      EXPECT_EQ(races(script), reader == 1 ? 0u : 1u);
    }
}

/// Readers of a word that two warps have read already add nothing, until somebody writes it.
TEST(Races, AReadAfterTwoReadersAndAWriteBetween) {
  for (const bool writes : {true, false}) {
    Script script(race, {.block = {128}});
    script.barrier(0);
    for (const std::uint32_t warp : {0u, 1u}) script.load(5, {0, warp}, 0xffff, words_from(0), shared_access());
    script.named_barrier(0, {0, 1, 2});
    if (writes) script.store(6, {0, 2}, 0xffff, words_from(0), shared_access());
    script.load(7, {0, 3}, 0xffff, words_from(0), shared_access());
    EXPECT_EQ(races(script), writes ? 1u : 0u);
  }
}

}  // namespace
}  // namespace warpbook::gpu::watch
