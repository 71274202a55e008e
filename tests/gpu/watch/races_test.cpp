// What is a race and what is not, told event by event. tests/cases/findings/race holds the same as kernels.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

// ---- Who is ordered with whom

TEST(Races, ThreadsOfTwoBlocksOnOneCounter) {
  Script script(race, {.grid = {2}, .block = {64}});
  for (const std::uint32_t block : {0u, 1u}) {
    script.load(10, {block, 0}, one_lane(0), element(0));
    script.store(10, {block, 0}, one_lane(0), element(0));
    script.end_block(block);
  }
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::race);
  EXPECT_EQ(finding.space, "global");
  EXPECT_EQ(finding.buffer, "data");
  EXPECT_EQ(finding.index, 0);
  EXPECT_EQ(finding.at.line, 10u);
  ASSERT_TRUE(finding.other);
  EXPECT_NE(finding.at.block, finding.other->block);
  EXPECT_NE(in_english(finding.message).find("data[0]"), std::string::npos);
  EXPECT_NE(in_english(finding.message).find("use an atomic"), std::string::npos);
  EXPECT_EQ(report.observed[FindingKind::race], Observation::observed);
}

TEST(Races, BlockBarrierOrdersABlock) {
  Script script(race, {.block = {64}});
  script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.store(5, {0, 1}, all_lanes, words_from(32), shared_access());
  script.barrier(0);
  script.load(7, {0, 0}, all_lanes, words_from(1), shared_access());
  script.load(7, {0, 1}, all_lanes, words_from(31), shared_access());
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, MissingBlockBarrier) {
  Script script(race, {.block = {64}});
  script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.load(7, {0, 1}, all_lanes, words_from(31), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].space, "shared");
  EXPECT_EQ(report.findings[0].buffer, "tile");
  EXPECT_EQ(report.findings[0].index, 31);
  EXPECT_EQ(report.findings[0].at.line, 5u);  // the write
  EXPECT_EQ(report.findings[0].other->line, 7u);
  EXPECT_EQ(report.findings[0].threads, 1u);
  EXPECT_NE(in_english(report.findings[0].message).find("__syncthreads() between line 5 and line 7"), std::string::npos);
}

TEST(Races, BarrierOfOneBlockOrdersNoOther) {
  Script script(race, {.grid = {2}, .block = {32}});
  script.store(5, {0, 0}, all_lanes, elements_from(0));
  script.barrier(0);
  script.barrier(1);
  script.load(7, {1, 0}, all_lanes, elements_from(0));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, ReadThenWriteIsARaceToo) {
  Script script(race, {.block = {64}});
  script.load(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.store(7, {0, 1}, all_lanes, words_from(0), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].at.line, 7u);
  EXPECT_EQ(report.findings[0].threads, 32u);
}

TEST(Races, ManyReadersThenAWriter) {
  // The writer is one of the readers; the other readers are what it races with.
  Script script(race, {.block = {128}});
  for (std::uint32_t warp = 0; warp < 4; ++warp) script.load(5, {0, warp}, all_lanes, word(3), shared_access());
  script.store(7, {0, 2}, one_lane(9), word(3), shared_access());
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, ABroadcastThenItsFirstReaderWrites) {
  Script script(race);
  script.load(5, {0, 0}, all_lanes, element(3));
  script.store(7, {0, 0}, one_lane(0), element(3));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, ReadersAloneNever) {
  Script script(race, {.grid = {3}, .block = {64}});
  for (std::uint32_t block = 0; block < 3; ++block)
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
      script.load(5, {block, warp}, all_lanes, element(7));
      script.load(6, {block, warp}, all_lanes, elements_from(0));
      script.load(7, {block, warp}, all_lanes, elements_from(1));
    }
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, ReadersInManyBlocksThenAWriterAfterItsOwnBarrier) {
  Script script(race, {.grid = {4}, .block = {64}});
  for (std::uint32_t block = 0; block < 4; ++block) {
    for (std::uint32_t warp = 0; warp < 2; ++warp) script.load(5, {block, warp}, all_lanes, elements_from(0));
    script.barrier(block);
  }
  script.store(7, {3, 0}, all_lanes, elements_from(0));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, OfThreeReadersTheOneInAnotherBlockIsRemembered) {
  Script script(race, {.grid = {2}, .block = {96}});
  for (const std::uint32_t warp : {0u, 1u}) script.load(5, {0, warp}, 0xff, elements_from(0));
  script.load(6, {1, 0}, 0xff, elements_from(0));
  script.barrier(0);
  script.store(7, {0, 2}, one_lane(0), element(3));
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, ASecondReaderStandsInTheWayOfTheFirst) {
  Script script(race, {.block = {64}});
  for (const std::uint32_t warp : {0u, 1u}) script.load(5, {0, warp}, one_lane(0), word(3), shared_access());
  script.store(6, {0, 0}, one_lane(0), word(3), shared_access());
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, PartsOfASectorHaveWritersOfTheirOwn) {
  Script script(race, {.grid = {3}});
  script.store(5, {0, 0}, 0b1111, elements_from(0));
  script.store(6, {1, 0}, 0b11110000, elements_from(0));
  script.load(7, {2, 0}, one_lane(0), element(5));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].at.line, 6u);
}

TEST(Races, EveryWordOfASectorHasItsThread) {
  enum What { writes, reads, updates };
  for (const What what : {writes, reads, updates})
    for (std::uint32_t threads = 1; threads <= 8; ++threads)
      for (std::uint32_t victim = 0; victim < threads; ++victim)
        for (const std::uint32_t bytes : {1u, 4u, 16u}) {
          const auto met_by = [&](std::uint32_t block) {
            Script script(race, {.grid = {9}});
            for (std::uint32_t b = 0; b < threads; ++b) {
              if (what != writes) script.load(10 + b, {b, 0}, one_lane(0), element(b));
              if (what != reads) script.store(10 + b, {b, 0}, one_lane(0), element(b));
            }
            vm::Access other;
            other.bytes = bytes;
            const auto place = element(bytes == 16 ? victim & ~3u : victim);
            if (what == reads)
              script.store(30, {block, 0}, one_lane(0), place, other);
            else
              script.load(30, {block, 0}, one_lane(0), place, other);
            return script.report();
          };
          const LaunchReport report = met_by(8);
          ASSERT_FALSE(report.findings.empty()) << what << ", " << threads << " threads, " << bytes << " bytes of " << victim;
          if (bytes == 16) continue;  // one of four
          ASSERT_EQ(report.findings.size(), 1u);
          const Finding& finding = report.findings[0];
          EXPECT_EQ(what == reads ? finding.other->line : finding.at.line, 10 + victim);
          EXPECT_TRUE(met_by(victim).findings.empty());
        }
}

TEST(Races, ABarrierOfTheBlockBeforeOrdersNothing) {
  Script script(race, {.grid = {2}});
  script.load(4, {0, 0}, one_lane(0), element(100));
  script.store(5, {1, 0}, one_lane(0), element(7));  // word 7 of a sector: word 0 would be a thread's of block 0
  script.barrier(0);
  script.store(6, {0, 0}, one_lane(3), element(7));
  EXPECT_EQ(races(script), 1u);
}

// ---- Within a warp

TEST(Races, LanesOfAWarpAreNotInStep) {
  Script script(race);
  script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.load(
      6, {0, 0}, all_lanes, [](unsigned lane) { return std::uint64_t{4} * (lane ^ 1); }, shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].threads, 32u);
  EXPECT_NE(in_english(report.findings[0].message).find("__syncwarp"), std::string::npos);
}

TEST(Races, SyncwarpOrdersItsLanes) {
  Script script(race);
  script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
  script.syncwarp({0, 0});
  script.load(
      6, {0, 0}, all_lanes, [](unsigned lane) { return std::uint64_t{4} * (lane ^ 1); }, shared_access());
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, SyncwarpOrdersOnlyTheLanesInItsMask) {
  for (const bool crossing : {false, true}) {
    Script script(race);
    script.store(5, {0, 0}, all_lanes, words_from(0), shared_access());
    script.syncwarp({0, 0}, 0x0000ffff);
    script.load(
        6, {0, 0}, 0x0000ffff, [=](unsigned lane) { return std::uint64_t{4} * (lane ^ (crossing ? 16 : 1)); }, shared_access());
    EXPECT_EQ(races(script), crossing ? 1u : 0u);
  }
}

TEST(Races, MasksCarryOrderFromLaneToLane) {
  Script script(race);
  script.store(5, {0, 0}, one_lane(0), word(0), shared_access());
  script.syncwarp({0, 0}, 0b011);
  script.syncwarp({0, 0}, 0b110);
  script.load(6, {0, 0}, one_lane(2), word(0), shared_access());
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, LanesOfAShortWarpAreAllItsLanes) {
  Script script(race, {.block = {16}});
  script.store(5, {0, 0}, 0xffff, words_from(0), shared_access());
  script.syncwarp({0, 0}, 0xffff);
  script.load(
      6, {0, 0}, 0xffff, [](unsigned lane) { return std::uint64_t{4} * (lane ^ 8); }, shared_access());
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, TwoLanesWriteOneWordInOneInstruction) {
  Script script(race);
  for (unsigned lane = 0; lane < 32; ++lane) script.values[lane] = lane;
  script.store(5, {0, 0}, 0b11, element(3));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(in_english(report.findings[0].message).find("Lanes 0 and 1 of one warp"), std::string::npos);
  EXPECT_NE(in_english(report.findings[0].message).find("in the same instruction"), std::string::npos);
}

TEST(Races, TheSameValueHasItsOwnSentence) {
  Script script(race, {.grid = {2}});
  script.values.fill(1);
  for (const std::uint32_t block : {0u, 1u}) script.store(5, {block, 0}, one_lane(0), element(3));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(in_english(report.findings[0].message).find("same value 1"), std::string::npos);
}

TEST(Races, OfOnePlaceTheSameValueIsToldLast) {
  Script script(race, {.block = {64}});
  const auto store_by_both = [&](std::uint32_t line, std::uint64_t word, std::uint64_t step) {
    for (const std::uint32_t warp : {0u, 1u}) {
      script.values.fill(1 + step * warp);
      script.store(line, {0, warp}, one_lane(0), words_from(word), shared_access());
    }
    script.barrier(0);
  };
  store_by_both(5, 0, 0);
  store_by_both(7, 0, 1);
  store_by_both(8, 0, 0);
  store_by_both(9, 0, 2);
  const LaunchReport report = script.report();
  std::vector<std::uint32_t> lines;
  for (const Finding& finding : report.findings) lines.push_back(finding.at.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{7, 9, 5, 8}));
}

TEST(Races, TheSameValueOfLanesSideBySide) {
  for (const bool shared : {false, true})
    for (const std::uint32_t bytes : {1u, 2u, 4u, 8u})
      for (const std::uint32_t mask : {0b0001u, 0b0100u, 0b1110u, 0xff00u, 0xfffu}) {
        // The same values, then one bit of the last lane's that differs, in either half.
        for (const unsigned bit : {64u, 0u, 7u, 33u}) {
          if (bit != 64 && bit >= 8 * bytes) continue;
          Script script(race, {.grid = {2}, .block = {64}});
          vm::Access what = shared ? shared_access() : vm::Access{};
          what.bytes = bytes;
          const auto places = [&](unsigned lane) { return (shared ? 0 : Script::buffer_base) + std::uint64_t{bytes} * lane; };
          for (unsigned lane = 0; lane < 32; ++lane) script.values[lane] = bytes == 8 ? 0x200000001u * (lane + 1) : lane + 1;
          script.store(5, {0, 0}, mask, places, what);
          if (bit != 64) script.values[31u - static_cast<unsigned>(std::countl_zero(mask))] ^= std::uint64_t{1} << bit;
          script.store(5, shared ? vm::WarpId{0, 1} : vm::WarpId{1, 0}, mask, places, what);
          const LaunchReport report = script.report();
          ASSERT_EQ(report.findings.size(), 1u);
          const bool said = in_english(report.findings[0].message).find("same value") != std::string::npos;
          EXPECT_EQ(said, bit == 64) << in_english(report.findings[0].message) << " mask " << mask << ", bit " << bit;
        }
      }
}

TEST(Races, OfSixteenBytesOnlyEightAreTold) {
  vm::Access sixteen;
  sixteen.bytes = 16;
  for (const bool wide_first : {true, false}) {  // all zeros, as far as is known
    Script script(race, {.grid = {2}});
    const auto wide = [&] { script.store(5, {0, 0}, one_lane(0), element(0), sixteen); };
    const auto narrow = [&] { script.store(6, {1, 0}, 0b1111, elements_from(0)); };
    wide_first ? wide() : narrow();
    wide_first ? narrow() : wide();
    const LaunchReport report = script.report();
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(in_english(report.findings[0].message).find("same value"), std::string::npos)
        << in_english(report.findings[0].message);
  }
}

TEST(Races, LanesSideBySideAndOnTheSameWord) {
  Script script(race);
  script.store(5, {0, 0}, 0b111, [](unsigned lane) { return Script::buffer_base + 4 * std::uint64_t{std::min(lane, 1u)}; });
  EXPECT_EQ(races(script), 1u);
}

TEST(Races, OneDifferentValueIsEnoughToDropThatSentence) {
  Script script(race, {.grid = {3}});
  for (const std::uint32_t block : {0u, 1u, 2u}) {
    script.values.fill(block / 2);
    script.store(5, {block, 0}, one_lane(0), element(3));
  }
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(in_english(report.findings[0].message).find("same value"), std::string::npos);
}

TEST(Races, ShowsThePairThatIsFarthestApart) {
  // First seen between two lanes, then between warps, then between blocks: only the last is worth acting on.
  Script script(race, {.grid = {2}, .block = {64}});
  for (const vm::WarpId warp : {vm::WarpId{0, 0}, vm::WarpId{0, 1}, vm::WarpId{1, 0}}) {
    script.load(10, warp, 0b11, element(0));
    script.store(10, warp, 0b11, element(0));
  }
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(report.findings[0].at.block, report.findings[0].other->block);
  EXPECT_NE(in_english(report.findings[0].message).find("both write data[0]"), std::string::npos)
      << in_english(report.findings[0].message);
  EXPECT_NE(in_english(report.findings[0].message).find("blocks run in any order"), std::string::npos)
      << in_english(report.findings[0].message);
}

TEST(Races, EveryLaneOfABroadcastIsCountedOnce) {
  for (const auto rows : {vm::Access::Rows::unknown, vm::Access::Rows::same}) {
    Script script(race, {.grid = {40}, .block = {64}});
    vm::Access same;
    same.rows = rows;
    std::uint64_t writers = 0, readers = 0;
    for (std::uint32_t block = 0; block < 33; ++block) {
      const std::uint32_t mask = rows == vm::Access::Rows::same ? all_lanes : all_lanes >> block % 32;
      const auto lanes = static_cast<std::uint64_t>(std::popcount(mask));
      script.load(7, {block, 1}, mask, element(0), same);
      if (block > 0) readers += lanes;  // they race with the block before
      script.store(5, {block, 0}, mask, element(0), same);
      // Every lane races: with the lane before it, or, the first one, with who read or stored last. Not so in the first block,
      // where the first lane races with the readers' line alone.
      if (block == 0) ++readers;
      writers += block == 0 ? lanes - 1 : lanes;
    }
    const LaunchReport report = script.report();
    std::uint64_t counted = 0;
    for (const Finding& finding : report.findings) counted += finding.threads;
    EXPECT_EQ(report.findings.size(), 2u);
    EXPECT_EQ(counted, writers + readers);
  }
}

TEST(Races, ABroadcastRacesWithAnotherLineAndWithinItself) {
  Script script(race, {.block = {64}});
  for (int turn = 0; turn < 4; ++turn) {
    script.barrier(0);
    script.load(7, {0, 1}, one_lane(0), element(0));
    script.store(5, {0, 0}, turn < 3 ? one_lane(0) : all_lanes, element(0));
  }
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[1].threads, 31u);
}

TEST(Races, AReaderDoesNotRaceWithItself) {
  Script script(race);
  script.store(5, {0, 0}, one_lane(5), element(0));
  for (int turn = 0; turn < 3; ++turn) script.load(7, {0, 0}, all_lanes, element(0));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].threads, 3u * 31);
}

TEST(Races, ABroadcastOfTheSameValueUntilOneDiffers) {
  constexpr std::uint32_t others = 8;  // than block 5's values
  struct Case {
    std::uint32_t different;  // lanes of block 5
    bool same;
  };
  for (const auto& [different, same] :
       {Case{0, true}, Case{1, false}, Case{1u << 7, false}, Case{1u << 31, false}, Case{~0u, false}})
    for (const std::uint32_t bytes : {1u, 4u, 8u}) {
      const unsigned highest = 8 * bytes - 1;
      Script script(race, {.grid = {others}});
      vm::Access access;
      access.bytes = bytes;
      for (std::uint32_t block = 0; block < others; ++block) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          script.values[lane] = 9;
          if (block == 5 && (different >> lane & 1)) script.values[lane] |= std::uint64_t{1} << highest;
          if (bytes < 8) script.values[lane] |= std::uint64_t{lane} << (8 * bytes);  // of which nothing is stored
        }
        script.store(5, {block, 0}, all_lanes, element(0), access);
      }
      const LaunchReport report = script.report();
      ASSERT_EQ(report.findings.size(), 1u);
      EXPECT_EQ(report.findings[0].threads, others * 32 - 1);
      const char* const sentence = bytes == 8 ? "the same value (9, 0)" : "the same value 9";
      EXPECT_EQ(in_english(report.findings[0].message).find(sentence) != std::string::npos, same)
          << in_english(report.findings[0].message) << ' ' << bytes;
    }
}

TEST(Races, OfABroadcastTheLastLanesValueIsKept) {
  for (const std::uint32_t bytes : {4u, 8u})
    for (const std::uint64_t value : {0u, 31u}) {
      Script script(race, {.grid = {4}});
      vm::Access access;
      access.bytes = bytes;
      const std::uint64_t last_word = bytes / 4 - 1;
      for (unsigned lane = 0; lane < 32; ++lane) script.values[lane] = std::uint64_t{lane} << (32 * last_word);
      for (std::uint32_t block = 0; block < 3; ++block) script.store(5, {block, 0}, all_lanes, element(0), access);
      script.values.fill(value);
      script.store(6, {3, 0}, one_lane(0), element(static_cast<std::int64_t>(last_word)));
      const LaunchReport report = script.report();
      ASSERT_EQ(report.findings.size(), 2u);
      EXPECT_EQ(in_english(report.findings[1].message).find("the same value") != std::string::npos, value == 31)
          << in_english(report.findings[1].message);
    }
}

TEST(Races, ABroadcastOfTwoWordsLeavesItsMarkOnBoth) {
  Script script(race, {.grid = {4}});
  vm::Access eight;
  eight.bytes = 8;
  for (std::uint32_t block = 0; block < 4; ++block) script.store(5, {block, 0}, all_lanes, element(0), eight);
  script.load(6, {3, 0}, one_lane(31), element(1));  // its own
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].threads, 4u * 32 - 1);
}

TEST(Races, AtomicsAndABroadcast) {
  // On one word atomics, on its neighbour stores that race; then the stores meet the atomics.
  Script script(race, {.grid = {4}});
  for (std::uint32_t block = 0; block < 4; ++block) script.atomic(8, {block, 0}, all_lanes, element(0));
  for (const std::uint32_t block : {0u, 1u, 3u}) script.store(5, {block, 0}, all_lanes, element(1));
  EXPECT_EQ(script.report().findings.size(), 1u);
  Script guilty(race, {.grid = {4}});
  for (std::uint32_t block = 0; block < 4; ++block) guilty.atomic(8, {block, 0}, all_lanes, element(0));
  for (const std::uint32_t block : {0u, 1u, 3u}) guilty.store(5, {block, 0}, all_lanes, element(1));
  guilty.store(5, {2, 0}, all_lanes, element(0));
  const LaunchReport report = guilty.report();
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_NE(in_english(report.findings[0].message).find("only against other atomics"), std::string::npos)
      << "before those of one value";
}

TEST(Races, SomeLanesOfABroadcastMayKnowMore) {
  vm::Access release, acquire;
  release.order = ptx::Order::release;
  acquire.order = ptx::Order::acquire;
  Script script(race, {.grid = {3}});
  script.store(5, {0, 0}, one_lane(0), element(0));
  script.atomic(8, {0, 0}, one_lane(0), element(40), release);
  script.load(7, {2, 0}, all_lanes, element(0));
  script.atomic(9, {1, 0}, one_lane(5), element(40), acquire);
  script.load(7, {1, 0}, all_lanes, element(0));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].threads, 32u + 31);
}

TEST(Races, OfReadersThatRaceTwoAreRemembered) {
  vm::Access release, acquire;
  release.order = ptx::Order::release;
  acquire.order = ptx::Order::acquire;
  for (const std::uint32_t bytes : {4u, 8u}) {
    vm::Access access;
    access.bytes = bytes;
    const auto place = [&](unsigned n) { return [=](unsigned) { return Script::buffer_base + std::uint64_t{bytes} * n; }; };
    Script script(race, {.grid = {3}});
    script.store(
        5, {0, 0}, 0b11, [&](unsigned lane) { return place(lane)(0); }, access);
    script.atomic(8, {0, 0}, 0b11, element(40), release);
    script.load(7, {2, 0}, all_lanes, place(1), access);
    script.load(7, {1, 0}, all_lanes, place(0), access);
    script.atomic(9, {1, 0}, one_lane(0), element(40), acquire);
    // Its last word, behind the first store, but not behind lane 1's load.
    script.store(10, {1, 0}, one_lane(0), element(bytes / 4 - 1));
    const LaunchReport report = script.report();
    ASSERT_EQ(report.findings.size(), 2u);
    EXPECT_EQ(report.findings[1].at.line, 10u);
    EXPECT_EQ(report.findings[1].other->line, 7u);
  }
}

TEST(Races, OneInstructionOnTwoSpaces) {
  Script script(race, {.grid = {2}, .block = {64}, .shared_variables = {}});
  const auto outside = [](unsigned) { return Script::buffer_base + (1u << 20); };
  const auto nowhere = [](unsigned) -> std::uint64_t { return 0; };
  for (std::uint32_t block = 0; block < 2; ++block) script.store(5, {block, 0}, one_lane(0), outside);
  for (std::uint32_t warp = 0; warp < 2; ++warp) script.store(5, {0, warp}, one_lane(0), nowhere, shared_access());
  EXPECT_EQ(races(script), 2u);
}

TEST(Races, OneInstructionOnTwoBuffers) {
  std::vector<vm::Allocation> buffers;
  for (const std::uint64_t n : {0u, 1u})
    buffers.push_back({.base = Script::buffer_base + 256 * n,
                       .bytes = 256,
                       .buffer = 1 + static_cast<BufferId>(n),
                       .name = n ? "b" : "a",
                       .type = ScalarType::int32,
                       .shape = {64},
                       .contents = {},
                       .initialised = {}});
  Script script(race, {.grid = {4}, .allocations = buffers});
  for (std::uint32_t block = 0; block < 4; ++block)
    for (const std::int64_t first_of : {0, 64}) script.store(5, {block, 0}, all_lanes, element(first_of));
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 2u);
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.threads, 4u * 32 - 1);
}

TEST(Races, TheToolkitsOwnLanesMayStoreTheSameValue) {
  // Its headers let all lanes of a warp store one value; two warps are another matter.
  for (const std::uint32_t blocks : {1u, 5u}) {
    Script script(race, {.grid = {blocks}});
    script.in_toolkit(5);
    script.values.fill(1);
    for (std::uint32_t block = 0; block < blocks; ++block) script.store(5, {block, 0}, all_lanes, element(0));
    const LaunchReport report = script.report();
    ASSERT_EQ(report.findings.size(), blocks > 1 ? 1u : 0u);
    if (blocks > 1) {
      EXPECT_EQ(report.findings[0].threads, blocks - 1);
    }
  }
}

// ---- Bytes

TEST(Races, NeighbouringBytesAreDifferentPlaces) {
  Script script(race, {.grid = {2}});
  vm::Access byte;
  byte.bytes = 1;
  script.store(
      5, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base; }, byte);
  script.store(
      5, {1, 0}, one_lane(0), [](unsigned) { return Script::buffer_base + 1; }, byte);
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, AWordCoversItsBytes) {
  for (const bool byte_first : {false, true}) {
    Script script(race, {.grid = {2}});
    vm::Access byte;
    byte.bytes = 1;
    const auto write_byte = [&] {
      script.store(
          5, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base + 3; }, byte);
    };
    if (byte_first) write_byte();
    script.store(6, {1, 0}, one_lane(0), element(0));
    if (!byte_first) write_byte();
    EXPECT_EQ(races(script), 1u);
  }
}

TEST(Races, AWarpOfBytesKeepsItsNeighboursApart) {
  Script script(race, {.block = {64}});
  vm::Access byte = shared_access();
  byte.bytes = 1;
  script.store(
      5, {0, 0}, all_lanes, [](unsigned lane) { return std::uint64_t{2} * lane; }, byte);
  script.store(
      6, {0, 1}, all_lanes, [](unsigned lane) { return std::uint64_t{2} * lane + 1; }, byte);
  script.load(
      7, {0, 0}, all_lanes, [](unsigned lane) { return std::uint64_t{2} * lane; }, byte);
  EXPECT_EQ(races(script), 0u);
}

TEST(Races, AWarpOfPartsOfWords) {
  for (const std::uint32_t bytes : {1u, 2u})
    for (const unsigned lane : {0u, 1u, 6u, 31u}) {
      vm::Access part;
      part.bytes = bytes;
      const auto own = [&](unsigned l) { return Script::buffer_base + std::uint64_t{bytes} * l; };
      const auto read_by = [&](std::uint32_t block, unsigned reader, const vm::Access& what) {
        Script script(race, {.grid = {2}});
        script.store(5, {0, 0}, all_lanes, own, part);
        script.load(
            6, {block, 0}, one_lane(reader), [&](unsigned) { return own(lane) / what.bytes * what.bytes; }, what);
        return script.report();
      };
      EXPECT_TRUE(read_by(0, lane, part).findings.empty());
      for (const LaunchReport& report : {read_by(1, 0, part), read_by(0, lane ^ 1, part)}) {
        ASSERT_EQ(report.findings.size(), 1u);
        EXPECT_EQ(report.findings[0].at.thread.x, lane);
      }
      vm::Access word;
      word.bytes = 4;
      EXPECT_EQ(read_by(0, lane, word).findings.size(), 1u) << "the word's other parts are others'";
    }
}

TEST(Races, WideAccessesOverlapNarrowOnes) {
  Script script(race, {.block = {64}});
  vm::Access wide = shared_access();
  wide.bytes = 16;
  script.store(
      5, {0, 0}, all_lanes, [](unsigned lane) { return std::uint64_t{16} * lane; }, wide);
  script.load(
      6, {0, 0}, all_lanes, [](unsigned lane) { return std::uint64_t{16} * lane; }, wide);
  script.load(7, {0, 1}, one_lane(4), word(127), shared_access());
  const LaunchReport report = script.report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].index, 127);
  EXPECT_EQ(report.findings[0].at.thread, (Dim3{31, 0, 0}));
}

// ---- Sizes

TEST(Races, BuffersOfMillionsOfElements) {
  constexpr std::uint64_t elements = std::uint64_t{1} << 24;
  Script script(race, {.grid = {static_cast<std::uint32_t>(elements / 256)},
                       .block = {256},
                       .allocations = {{.base = Script::buffer_base,
                                        .bytes = 4 * elements,
                                        .buffer = 1,
                                        .name = "data",
                                        .type = ScalarType::int32,
                                        .shape = {elements},
                                        .contents = {},
                                        .initialised = {}}}});
  for (std::uint32_t block = 0; block < elements / 256; block += 16) {
    for (std::uint32_t warp = 0; warp < 8; ++warp)
      script.store(5, {block, warp}, all_lanes, elements_from(256 * block + 32 * warp));
    script.end_block(block);
  }
  script.store(6, {1, 0}, one_lane(0), element(256 * 1024));
  EXPECT_EQ(races(script), 1u);
}

}  // namespace
}  // namespace warpbook::gpu::watch
