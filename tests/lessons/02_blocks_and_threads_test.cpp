// Lesson 02: what the course promises, on the virtual GPU, against a loop over all threads in the order that CUDA gives them.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

class BlocksAndThreads : public LessonRun {
 protected:
  BlocksAndThreads() : LessonRun("02") {}

  [[nodiscard]] Settings preset(std::string_view label) const {
    for (const Preset& preset : lesson().presets) {
      if (in_english(preset.label) != label) continue;
      Settings settings;
      for (const Control& control : lesson().controls) {
        if (const auto value = preset.values.find(control.id); value != preset.values.end())
          settings.emplace_back(control.id, value_text(control, value->second));
      }
      return settings;
    }
    ADD_FAILURE() << label;
    return {};
  }
};

/// The threads that write a cell, from the definition: thread numbers run x first, then y, then z, block after block.
std::vector<std::set<std::int32_t>> writers(const BlockMap& map) {
  std::vector<std::set<std::int32_t>> all(std::size_t{map.width} * map.height * map.depth);
  std::int32_t number = 0;
  for (std::uint32_t bz = 0; bz < map.grid.z; ++bz)
    for (std::uint32_t by = 0; by < map.grid.y; ++by)
      for (std::uint32_t bx = 0; bx < map.grid.x; ++bx)
        for (std::uint32_t tz = 0; tz < map.block.z; ++tz)
          for (std::uint32_t ty = 0; ty < map.block.y; ++ty)
            for (std::uint32_t tx = 0; tx < map.block.x; ++tx, ++number) {
              std::uint32_t x = bx * map.block.x + tx, y = by * map.block.y + ty;
              const std::uint32_t z = bz * map.block.z + tz;
              if (map.swapped) std::swap(x, y);
              if (x < map.width && y < map.height && z < map.depth)
                all[(std::size_t{z} * map.height + y) * map.width + x].insert(number);
            }
  return all;
}

void expect_who_it_should_be(const BlockMap& map) {
  const auto expected = writers(map);
  ASSERT_EQ(map.writer.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(expected[i].size(), 1U) << "the right formula gives each cell to one thread";
    ASSERT_EQ(map.writer[i], expected[i].empty() ? -1 : *expected[i].begin()) << i;
    ASSERT_EQ(map.writes[i], expected[i].size()) << i;
  }
}

TEST_F(BlocksAndThreads, ThreeBlocksAcrossLeaveTheLastTwelveColumns) {
  const Outcome outcome = run({});
  EXPECT_EQ(number(outcome, "written"), 48 * 40);
  EXPECT_EQ(number(outcome, "unwritten"), 12 * 40);
  EXPECT_EQ(number(outcome, "warp_1_row"), 2) << "rows 2 and 3 of a block of 16 × 16";
  EXPECT_EQ(number(outcome, "idle"), 48 * 8) << "the last row of blocks is half outside";
  expect_who_it_should_be(testing::figure<BlockMap>(outcome));
}

TEST_F(BlocksAndThreads, Warp1OfABlockOf16By16IsRows2And3) {
  const BlockMap map = testing::figure<BlockMap>(run({}));
  std::set<std::uint32_t> rows;
  for (std::size_t i = 0; i < map.writer.size(); ++i) {
    if (map.writer[i] >= 32 && map.writer[i] < 64) rows.insert(static_cast<std::uint32_t>(i / map.width));
  }
  EXPECT_EQ(rows, (std::set<std::uint32_t>{2, 3}));
}

TEST_F(BlocksAndThreads, TheThreadsToMarkAreThoseOfWarp1) {
  const Outcome outcome = run({});
  std::set<std::uint32_t> rows2And3;  // of a block of 16 × 16
  for (std::uint32_t y = 2; y <= 3; ++y)
    for (std::uint32_t x = 0; x < 16; ++x) rows2And3.insert(y * 16 + x);
  EXPECT_EQ(outcome.marked.at("warp_1"), rows2And3);
  EXPECT_EQ(run({{"threads_y", "3"}}).marked.at("warp_1").size(), 16U) << "48 threads: the second warp has the last 16";
  EXPECT_FALSE(run({{"threads_y", "2"}}).marked.contains("warp_1")) << "a block of one warp";
}

TEST_F(BlocksAndThreads, AnImageOf1000By700Needs2772Blocks) {
  const Outcome outcome = run(preset("1000 × 700"));
  EXPECT_EQ(number(outcome, "blocks_launched"), 2772);
  EXPECT_EQ(number(outcome, "written"), 700'000);
  EXPECT_EQ(number(outcome, "unwritten"), 0);
  auto fewer = preset("1000 × 700");
  fewer.emplace_back("blocks_x", "62");
  EXPECT_EQ(number(run(fewer), "unwritten"), 8 * 700);
}

TEST_F(BlocksAndThreads, EveryCellOfTheVolumeAndOfTheWholeImageHasItsThread) {
  for (const char* const label : {"Image, all of it", "Volume", "x and y swapped"}) {
    SCOPED_TRACE(label);
    const Outcome outcome = run(preset(label));
    EXPECT_EQ(number(outcome, "unwritten"), 0);
    EXPECT_TRUE(testing::findings(outcome, gpu::FindingKind::race).empty());
    expect_who_it_should_be(testing::figure<BlockMap>(outcome));
  }
}

TEST_F(BlocksAndThreads, ARowOfTheWrongLengthWritesCellsTwiceAndLeavesOthersOut) {
  const Outcome outcome = run(preset("Row of the wrong length"));
  // Cells y · 40 + x of 40 rows and 60 columns: 0 to 1619, those from 40 to 1579 … once or twice.
  std::map<std::size_t, int> times;
  for (std::size_t y = 0; y < 40; ++y)
    for (std::size_t x = 0; x < 60; ++x) ++times[y * 40 + x];
  const auto twice = std::count_if(times.begin(), times.end(), [](const auto& cell) { return cell.second > 1; });
  EXPECT_EQ(number(outcome, "twice"), twice);
  EXPECT_EQ(number(outcome, "written"), static_cast<double>(times.size()));
  EXPECT_FALSE(testing::findings(outcome, gpu::FindingKind::race).empty()) << "two threads write one cell";
}

TEST_F(BlocksAndThreads, OneMoreThanALimitIsRefusedByCudasName) {
  for (const char* const label : {"1025 threads", "65 in z", "65,536 blocks in y"}) {
    const auto outcome = try_run(preset(label));
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->report.status, "cudaErrorInvalidConfiguration") << label;
    EXPECT_TRUE(outcome->numbers.empty());
  }
}

TEST_F(BlocksAndThreads, WithoutTheGuardThreadsLeaveTheArray) {
  const Outcome outcome = run({{"blocks_x", "4"}, {"guard", "off"}});
  EXPECT_GT(number(outcome, "outside"), 0);
  EXPECT_FALSE(testing::findings(outcome, gpu::FindingKind::memory).empty());
}

}  // namespace
}  // namespace warpbook::lessons
