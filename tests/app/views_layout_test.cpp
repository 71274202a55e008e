// Where things stand in the views: pure functions, no window.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/device_words.h"
#include "app/views/layout.h"
#include "app/views/views.h"

namespace warpbook::app {
namespace {

TEST(AxisTicks, AreRoundAndInside) {
  EXPECT_EQ(axis_ticks(0, 15, 8), (std::vector<double>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(axis_ticks(0, 2942, 4), (std::vector<double>{0, 1000, 2000}));
  EXPECT_EQ(axis_ticks(-4, 4, 4), (std::vector<double>{-4, -2, 0, 2, 4}));
  EXPECT_EQ(axis_ticks(3, 3, 4), (std::vector<double>{3}));
  EXPECT_TRUE(axis_ticks(2, 1, 4).empty());
  EXPECT_TRUE(axis_ticks(0, std::nan(""), 4).empty());
}

TEST(Numbers, AreShortAndTypeset) {
  EXPECT_EQ(short_number(0.125, 3), "0.125");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(-5e-4, 3), "−5e−4");
  EXPECT_EQ(short_number(15), "15");
  EXPECT_EQ(short_number(1000000, 3), "1000000");
  EXPECT_EQ(short_number(2.5e12, 3), "2.5e12");
  EXPECT_EQ(short_number(-INFINITY), "−∞");
  EXPECT_EQ(fixed_number(-0.8, 1), "−0.8");
  EXPECT_EQ(fixed_number(-0.01, 1), "0.0");
  EXPECT_EQ(decimals_of(0.8), 1);
  EXPECT_EQ(decimals_of(0.0078125), 6);
  EXPECT_EQ(decimals_of(3), 0);
}

template <std::size_t... i>
std::vector<std::string_view> names_of_figures(std::index_sequence<i...>) {
  return {lessons::view_of(std::variant_alternative_t<i, lessons::FigureKinds>())...};
}

// A row has the name by which pages and lessons ask for its figure's view.
TEST(ViewTable, HasARowForEachFigureUnderItsName) {
  const auto names = names_of_figures(std::make_index_sequence<std::variant_size_v<lessons::FigureKinds>>());
  ASSERT_EQ(all_views().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(all_views()[i].name, names[i]);
  EXPECT_TRUE(view_traits("trials").beside_numbers);
  EXPECT_TRUE(view_traits("field").wide);
  EXPECT_FALSE(view_traits("thread_map").wide);
  EXPECT_EQ(view_traits("sm_timeline").title.english, "SM timeline") << "not as its name is written";
  EXPECT_FLOAT_EQ(view_traits("thread_map").empty_height_css, 340);
}

TEST(DeviceWords, AreEasyToRead) {
  EXPECT_EQ(device_figure(49152, "bytes", 0), "48 KiB");
  EXPECT_EQ(device_figure(2101346304, "bytes", 0), "1.957 GiB");
  EXPECT_EQ(device_figure(0, "bytes", 0), "0 bytes");
  EXPECT_EQ(device_figure(66.67, "bytes", 1, false), "66.7 bytes");
  EXPECT_EQ(device_figure(901500, "kHz", 0), "901.5 MHz");
  EXPECT_EQ(device_figure(1590000, "kHz", 0, false), "1590 MHz");
  EXPECT_EQ(device_figure(2147483647, "blocks", 0, false), "2³¹ − 1");
  EXPECT_EQ(device_figure(65536, "registers", 0), "65,536 registers");
  EXPECT_EQ(device_figure(42.67, "", 1), "42.7");
  EXPECT_EQ(device_figure(64, "", 1), "64");
  EXPECT_EQ(device_figure(1153.92, "GFLOP/s", 0), "1154 GFLOP/s");
}

TEST(DeviceWords, FindRowsByAllTheirWords) {
  const lessons::DeviceTable table{.devices = {"a"},
                                   .rows = {{.name = "warpSize", .unit = "threads", .meaning = "Issued together.", .launch = ""},
                                            {.name = "clockRate", .unit = "kHz", .meaning = "The highest clock.", .launch = ""},
                                            {.name = "memoryClockRate", .unit = "kHz", .meaning = "Its clock.", .launch = "So."}},
                                   .title = ""};
  EXPECT_EQ(rows_found(table, ""), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(rows_found(table, "  CLOCK "), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(rows_found(table, "clock memory"), (std::vector<std::size_t>{2}));
  EXPECT_EQ(rows_found(table, "threads"), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(rows_found(table, "moon").empty());
}

/// What every arrangement must keep, for all launches a learner can choose.
class EveryLaunch : public testing::TestWithParam<std::pair<float, float>> {};

TEST_P(EveryLaunch, FitsAndFindsItsCells) {
  const auto [width, scale] = GetParam();
  for (const std::uint32_t threads :
       {1u, 2u, 7u, 8u, 16u, 31u, 32u, 33u, 48u, 64u, 96u, 100u, 128u, 256u, 300u, 512u, 992u, 1024u}) {
    for (const std::uint32_t blocks : {1u, 3u, 31u, 33u, 64u, 128u, 256u}) {
      const ThreadGrid grid = arrange_threads({threads, blocks, 4096, std::floor(width * scale), scale, 300});
      SCOPED_TRACE(testing::Message() << "T=" << threads << " B=" << blocks);
      ASSERT_GE(grid.places, blocks);
      ASSERT_GE(std::uint64_t{grid.places} * threads, 4096u);
      ASSERT_LE(grid.width(), std::floor(width * scale) + 1);
      ASSERT_LE(grid.height(), 300 * scale + 1);
      ASSERT_GE(grid.line, std::floor(2 * scale));
      ASSERT_GE(grid.pitch, 2 * scale - 0.01f);
      for (const std::uint32_t block : {0u, blocks / 2, grid.places - 1}) {
        for (const std::uint32_t cell : {0u, grid.cells / 2, grid.cells - 1}) {
          const Box box = grid.cell(block, cell);
          ASSERT_GT(box.width(), 0);
          ASSERT_GT(box.height(), 0);
          const auto hit = grid.hit((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
          ASSERT_TRUE(hit.has_value());
          ASSERT_EQ(hit->block, block);
          ASSERT_EQ(hit->cell, cell);
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Widths, EveryLaunch,
                         testing::Values(std::pair{520.0f, 1.0f}, std::pair{664.0f, 1.0f}, std::pair{816.0f, 1.0f},
                                         std::pair{664.0f, 1.5f}, std::pair{664.0f, 2.0f}));

TEST(ThreadGrid, IsARowABlockInTheFirstLesson) {
  const ThreadGrid grid = arrange_threads({128, 31, 4096, 664, 1, 300});
  EXPECT_EQ(grid.unit, ThreadGrid::Unit::thread);
  EXPECT_EQ(grid.lines, 32u);
  EXPECT_EQ(grid.blocks_a_line, 1u);
  EXPECT_EQ(grid.lines_a_block, 1u);
  EXPECT_EQ(grid.pitch, 5);
  EXPECT_EQ(grid.line, 9);
  EXPECT_EQ(grid.width(), 664);
  EXPECT_EQ(grid.cell(17, 32).x0 - grid.cell(17, 31).x0, 5 + 8);  // the gap between two warps
}

TEST(ThreadGrid, KeepsItsPlaceWhileFewerBlocksAreLaunched) {
  const ThreadGrid a = arrange_threads({128, 1, 4096, 664, 1, 300}), b = arrange_threads({128, 32, 4096, 664, 1, 300});
  EXPECT_EQ(a.height(), b.height());
  EXPECT_EQ(a.cell(0, 99).x0, b.cell(0, 99).x0);
}

TEST(ThreadGrid, ShowsWarpsWhereThreadsWouldBeDust) {
  const ThreadGrid grid = arrange_threads({1024, 256, 4096, 664, 1, 300});
  EXPECT_EQ(grid.unit, ThreadGrid::Unit::warp);
  EXPECT_EQ(grid.cells, 32u);
  EXPECT_GE(grid.pitch, 4);
}

TEST(ThreadGrid, HitsNothingInAGap) {
  const ThreadGrid grid = arrange_threads({128, 31, 4096, 664, 1, 300});
  EXPECT_FALSE(grid.hit(grid.cell(0, 31).x1 + 4, 4).has_value());
  EXPECT_FALSE(grid.hit(-1, 4).has_value());
  EXPECT_FALSE(grid.hit(4, grid.height() + 1).has_value());
}

TEST(IndexRun, NamesRunsAndScatters) {
  IndexRun run;
  for (int i = 3968; i < 4096; ++i) run.add(i);
  EXPECT_EQ(run.elements(), "elements 3968 to 4095");
  IndexRun one;
  one.add(7);
  EXPECT_EQ(one.blocks(), "block 7");
  one.add(9);
  EXPECT_EQ(one.blocks(), "2 blocks");
}

TEST(PlaceCard, StaysOffTheItemAndOffWhatIsWrong) {
  const Box bounds{0, 0, 700, 600}, item{300, 200, 305, 209};
  const Box above = place_card(400, 110, item, {}, bounds, 16);
  EXPECT_FALSE(overlap(above, item));
  EXPECT_LT(above.y1, item.y0);
  // Something wrong above: below it goes.
  const std::vector<Box> wrong = {{0, 60, 700, 190}};
  const Box below = place_card(400, 110, item, wrong, bounds, 16);
  EXPECT_FALSE(overlap(below, wrong[0]));
  EXPECT_GT(below.y0, item.y1);
  // The item within what is wrong: past its edge.
  const std::vector<Box> around = {{0, 150, 700, 400}};
  const Box past = place_card(400, 110, item, around, bounds, 16);
  EXPECT_FALSE(overlap(past, around[0]));
  // At the rim it slides inside.
  const Box rim = place_card(400, 110, {690, 590, 695, 599}, {}, bounds, 16);
  EXPECT_LE(rim.x1, bounds.x1);
  EXPECT_LE(rim.y1, bounds.y1);
}

TEST(ChooseLanes, AlwaysShowsTheFinalStore) {
  std::vector<lessons::Interleaving::Row> rows(100);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].store_reached = 500 + i;
  rows[40].kept = 1;
  EXPECT_EQ(choose_lanes(rows, 4), (std::vector<std::size_t>{0, 1, 2, 40}));
  rows[70].kept = 1;  // kept too, and later
  EXPECT_EQ(choose_lanes(rows, 4), (std::vector<std::size_t>{0, 1, 2, 70}));
  rows[2].store_reached = 9999;
  rows[2].kept = 1;
  EXPECT_EQ(choose_lanes(rows, 4), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(choose_lanes(std::span(rows).first(1), 4), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(choose_lanes({}, 4).empty());
}

TEST(Trials, CrowdedValuesShareABar) {
  const TrialAxis axis{1, 4096, 8, 256};
  EXPECT_EQ(axis.x(1), 8);
  EXPECT_EQ(axis.x(4096), 256);
  EXPECT_NEAR(axis.x(64), (8 + 256) / 2.0f, 0.01f);
  const std::vector<lessons::Trials::Bar> bars = {{1, 88}, {2, 11}, {3, 1}, {100, 4}, {101, 5}, {102, 6}};
  const auto clusters = cluster_trials(bars, axis, 11);
  ASSERT_EQ(clusters.size(), 4u);
  EXPECT_EQ(clusters[3].low, 100);
  EXPECT_EQ(clusters[3].high, 102);
  EXPECT_EQ(clusters[3].count, 15u);
}

TEST(Bins, ColumnsCoverEveryBinOnce) {
  for (const std::uint32_t bins : {1u, 2u, 10u, 24u, 100u, 255u, 1000u, 1024u}) {
    const BinColumns columns = arrange_bins(bins, 704, 1);
    EXPECT_GE(std::uint64_t{columns.columns} * columns.group, bins);
    EXPECT_LT(std::uint64_t{columns.columns - 1} * columns.group, bins);
    EXPECT_EQ(columns.edge(0), columns.x0);
    EXPECT_EQ(columns.edge(columns.columns), columns.x1);
    EXPECT_GE((columns.x1 - columns.x0) / static_cast<float>(columns.columns), bins == 1 ? 1.0f : 2.9f);
  }
  EXPECT_TRUE(arrange_bins(10, 704, 1).labelled);
  EXPECT_FALSE(arrange_bins(1024, 704, 1).labelled);
}

TEST(AverageDown, KeepsTheMeanWhateverTheRatio) {
  for (const std::uint32_t side : {7u, 64u, 100u, 333u}) {
    for (const std::uint32_t out_side : {1u, 2u, 5u, 7u}) {
      std::vector<float> cells(std::size_t{side} * side), out(std::size_t{out_side} * out_side);
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>((i * 2654435761u) % 1000) / 1000;
      average_down(cells.data(), side, out.data(), out_side);
      const double before = std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
      const double after = std::accumulate(out.begin(), out.end(), 0.0) / static_cast<double>(out.size());
      EXPECT_NEAR(before, after, 1e-5) << side << " to " << out_side;
    }
  }
}

TEST(AverageDown, HidesACheckerboardAndSharesACutCell) {
  std::vector<float> board(64 * 64), out(32 * 32);
  for (std::size_t i = 0; i < board.size(); ++i) board[i] = (i / 64 + i % 64) % 2 == 0 ? 1.0f : -1.0f;
  average_down(board.data(), 64, out.data(), 32);
  for (const float pixel : out) EXPECT_NEAR(pixel, 0, 1e-6);
  // Three cells on two pixels: the middle one belongs half to each.
  const std::vector<float> three = {0, 3, 6, 0, 3, 6, 0, 3, 6};
  std::vector<float> two(4);
  average_down(three.data(), 3, two.data(), 2);
  EXPECT_NEAR(two[0], 1, 1e-6);
  EXPECT_NEAR(two[1], 5, 1e-6);
}

TEST(AverageDown, DoesNotHideWhatIsNoNumber) {
  std::vector<float> cells(100, 1.0f), out(25);
  cells[0] = std::nanf("");
  average_down(cells.data(), 10, out.data(), 5);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(std::count_if(out.begin(), out.end(), [](float v) { return std::isnan(v); }), 1);
}

TEST(Lens, ShowsWholeTilesInsideTheField) {
  for (const std::uint32_t side : {8u, 64u, 100u, 2000u}) {
    for (const std::uint32_t tile : {4u, 8u, 16u, 32u}) {
      for (const double at : {0.0, 0.3, 0.77, 1.0}) {
        const LensRegion lens = place_lens(side, tile, at, 1 - at, 128);
        const std::uint32_t used = std::min(tile, side);
        EXPECT_LE(lens.x + lens.cells, side);
        EXPECT_LE(lens.y + lens.cells, side);
        EXPECT_EQ(lens.x % used, 0u);
        EXPECT_EQ(lens.cells, lens.tiles * used);
        EXPECT_GE(lens.cell_px, 1);
      }
    }
  }
  const LensRegion middle = place_lens(2000, 8, 0.5, 0.5, 128);
  EXPECT_EQ(middle.tiles, 4u);
  EXPECT_EQ(middle.cell_px, 4);
  EXPECT_LE(middle.x, 1000u);
  EXPECT_GT(middle.x + middle.cells, 1000u);
}

}  // namespace
}  // namespace warpbook::app
