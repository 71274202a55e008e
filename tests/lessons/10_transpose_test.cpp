// Lesson 10: what the course promises, on the virtual GPU, against counting by hand.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

class Transpose : public LessonRun {
 protected:
  Transpose() : LessonRun("10") {}
};

TEST_F(Transpose, APassForEachRowThatBeginsInTheSameBank) {
  for (int width = 32; width <= 40; ++width) {
    const Outcome outcome = run({{"tile_width", std::to_string(width)}, {"side", "64"}});
    EXPECT_EQ(number(outcome, "passes"), std::gcd(width, 32)) << width;
    EXPECT_EQ(number(outcome, "wrong"), 0) << width;
    // A warp for each of the 4 tiles' 32 columns, each with its passes; rows take one.
    EXPECT_EQ(number(outcome, "conflicts"), 4 * 32 * (std::gcd(width, 32) - 1)) << width;
  }
}

TEST_F(Transpose, AColumnOfTheTileIsAskedForWhicheverKernelIsChosen) {
  for (const char* const mode : {"direct", "structs", "arrays", "table"}) {
    EXPECT_EQ(number(run({{"mode", mode}, {"side", "64"}}), "passes"), 32) << mode;
    EXPECT_EQ(number(run({{"mode", mode}, {"side", "64"}, {"tile_width", "36"}}), "passes"), 4) << mode;
  }
}

TEST_F(Transpose, DirectlyOneOfTheTwoTakes32SectorsForFour) {
  const Outcome direct = run({{"mode", "direct"}});
  const double warps = 256 * 256 / 32;
  EXPECT_EQ(number(direct, "sectors"), warps * (4 + 32));
  EXPECT_EQ(number(direct, "fewest"), warps * (4 + 4));
  EXPECT_DOUBLE_EQ(number(direct, "times_fewest"), 4.5);
  EXPECT_EQ(number(direct, "wrong"), 0);
  EXPECT_FALSE(testing::findings(direct, gpu::FindingKind::coalescing).empty());
}

TEST_F(Transpose, ThroughATileNoSectorIsTooManyAndOnlyPaddingEndsTheConflicts) {
  const Outcome tile = run({}), padded = run({{"tile_width", "33"}});
  for (const Outcome* const outcome : {&tile, &padded}) {
    EXPECT_DOUBLE_EQ(number(*outcome, "times_fewest"), 1);
    EXPECT_TRUE(testing::findings(*outcome, gpu::FindingKind::coalescing).empty());
    EXPECT_TRUE(testing::findings(*outcome, gpu::FindingKind::race).empty());
  }
  EXPECT_FALSE(testing::findings(tile, gpu::FindingKind::banks).empty());
  EXPECT_TRUE(testing::findings(padded, gpu::FindingKind::banks).empty());
  EXPECT_LT(number(padded, "us"), number(tile, "us")) << "by the model";
}

TEST_F(Transpose, StructsOfThreeTakeThreeTimesTheSectorsToRead) {
  const Outcome outcome = run({{"mode", "structs"}, {"side", "96"}});  // 3072 structs
  const double warps = 96 * 96 / 3 / 32;
  // Each of the three loads of a warp touches 3 · 32 words: 12 sectors; each store 4.
  EXPECT_EQ(number(outcome, "sectors"), warps * 3 * (12 + 4));
  EXPECT_EQ(number(outcome, "fewest"), warps * 3 * (4 + 4));
  EXPECT_EQ(number(outcome, "wrong"), 0);
}

TEST_F(Transpose, AStructOfArraysTakesTheFewestSectors) {
  const Outcome outcome = run({{"mode", "arrays"}, {"side", "96"}});
  EXPECT_EQ(number(outcome, "sectors"), 96 * 96 / 32 * (4 + 4));
  EXPECT_DOUBLE_EQ(number(outcome, "times_fewest"), 1);
  EXPECT_EQ(number(outcome, "wrong"), 0);
}

TEST_F(Transpose, ConstantMemoryGivesOneWordAPass) {
  const Outcome by_column = run({{"mode", "table"}, {"side", "64"}}),
                by_row = run({{"mode", "table"}, {"side", "64"}, {"table_by", "row"}});
  EXPECT_EQ(number(by_column, "constant_passes"), 32);
  EXPECT_EQ(number(by_row, "constant_passes"), 1);
  EXPECT_LT(number(by_row, "us"), number(by_column, "us")) << "by the model";
  EXPECT_EQ(number(by_column, "wrong"), 0);
  EXPECT_EQ(number(by_row, "wrong"), 0);
  // 26 columns are left for the last block: as many words.
  EXPECT_LT(number(run({{"mode", "table"}, {"side", "58"}}), "constant_passes"), 32);
}

TEST_F(Transpose, SidesThatAreNoMultipleOfTheTileAreRight) {
  for (const char* const mode : {"direct", "tiled", "structs", "arrays", "table"}) {
    for (const char* const side : {"33", "250", "100"}) {
      const Outcome outcome = run({{"mode", mode}, {"side", side}});
      EXPECT_EQ(number(outcome, "wrong"), 0) << mode << " " << side;
      EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::memory).empty());
      EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::init).empty());
    }
  }
}

TEST_F(Transpose, TheMapHasTheRequestsOfABlock) {
  const MemoryMap map = testing::figure<MemoryMap>(run({}));
  ASSERT_NE(map.requests, nullptr);
  std::size_t rows = 0, columns = 0;
  for (const gpu::AccessRecord& record : *map.requests) {
    if (!record.shared) continue;
    std::set<std::int32_t> banks;
    for (const std::int32_t word : record.index) banks.insert(word % 32);
    (record.kind == gpu::AccessRecord::Kind::store ? rows : columns) += 1;
    EXPECT_EQ(banks.size(), record.kind == gpu::AccessRecord::Kind::store ? 32U : 1U);
  }
  EXPECT_EQ(rows, 32U);
  EXPECT_EQ(columns, 32U);
}

TEST_F(Transpose, EveryVersionHasItsBar) {
  const Ladder ladder = testing::figure<Ladder>(run({}));
  ASSERT_EQ(ladder.rungs.size(), 5U);
  EXPECT_EQ(ladder.chosen, 1U);
  EXPECT_EQ(ladder.rungs[1].label, "Tile, 32 wide");
  EXPECT_EQ(ladder.rungs[2].label, "Tile, 33 wide");
  for (const Ladder::Rung& rung : ladder.rungs) EXPECT_GT(rung.gb_per_s, 0) << rung.label;
  EXPECT_GT(ladder.rungs[2].gb_per_s, ladder.rungs[0].gb_per_s) << "by the model";
  EXPECT_EQ(testing::figure<Ladder>(run({{"tile_width", "34"}})).rungs[2].label, "Tile, 34 wide");
  EXPECT_EQ(testing::figure<Ladder>(run({{"mode", "structs"}, {"side", "64"}})).chosen, 3U);
  const Ladder tables = testing::figure<Ladder>(run({{"mode", "table"}, {"side", "64"}, {"table_by", "row"}}));
  ASSERT_EQ(tables.rungs.size(), 2U);
  EXPECT_EQ(tables.chosen, 1U);
}

}  // namespace
}  // namespace warpbook::lessons
