// Where things stand in a sweep's chart.
#include "app/views/sweep_layout.h"

#include <gtest/gtest.h>

namespace warpbook::app {
namespace {

lessons::SweepAxis axis(std::vector<double> values, bool logarithmic, bool named = false) {
  return {.control = "c",
          .label = "C",
          .logarithmic = logarithmic,
          .named = named,
          .values = std::move(values),
          .texts = {},
          .words = {}};
}

TEST(ValueScale, BeginsAtZeroAndEndsAtARoundNumberAboveTheHighest) {
  const ValueScale scale = scale_for(12, 42, 6);
  EXPECT_FALSE(scale.logarithmic);
  EXPECT_EQ(scale.low, 0);
  EXPECT_GE(scale.high, 42);
  EXPECT_EQ(scale.ticks.front(), 0);
  EXPECT_EQ(scale.ticks.back(), scale.high);
  EXPECT_LE(scale.ticks.size(), 8U);
  EXPECT_EQ(scale.share(0), 0);
  EXPECT_EQ(scale.share(scale.high), 1);
}

TEST(ValueScale, IsLogarithmicWhereValuesDifferByMuch) {
  const ValueScale scale = scale_for(3, 60'000, 6);
  EXPECT_TRUE(scale.logarithmic);
  EXPECT_EQ(scale.ticks, (std::vector<double>{1, 10, 100, 1000, 10'000, 100'000}));
  EXPECT_DOUBLE_EQ(scale.share(100), 0.4);
  EXPECT_FALSE(scale_for(0, 60'000, 6).logarithmic);  // 0 has no logarithm
  EXPECT_FALSE(scale_for(-3, 60'000, 6).logarithmic);
  const ValueScale wide = scale_for(1e-9, 1e9, 5);
  EXPECT_LE(wide.ticks.size(), 6U);
  EXPECT_GE(wide.high, 1e9);
}

TEST(ValueScale, HoldsWhatIsBelowZeroAndWhatIsAlwaysTheSame) {
  const ValueScale below = scale_for(-7, -2, 6);
  EXPECT_LE(below.low, -7);
  EXPECT_EQ(below.high, 0);
  const ValueScale flat = scale_for(1, 1, 6, true);
  EXPECT_EQ(flat.low, 0);
  EXPECT_LT(flat.share(1), 1);
  const ValueScale nothing = scale_for(0, 0, 6);
  EXPECT_LT(nothing.low, nothing.high);
}

TEST(ValueScale, CountsHaveNoHalves) {
  for (const double tick : scale_for(1, 2, 6, true).ticks) EXPECT_EQ(tick, static_cast<int>(tick));
  EXPECT_GE(scale_for(1, 2, 6, true).high, 2);
}

TEST(Places, AreTheSlidersOrEvenForWords) {
  EXPECT_EQ(places_of(axis({1, 2, 4, 16}, true)), (std::vector<double>{0, 0.25, 0.5, 1}));
  EXPECT_EQ(places_of(axis({0, 1, 2}, true)), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(places_of(axis({1, 2, 5}, false)), (std::vector<double>{0, 0.25, 1}));
  EXPECT_EQ(places_of(axis({0, 1}, false, true)), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(places_of(axis({7}, true)), (std::vector<double>{0.5}));
}

TEST(Labels, NeverTouchAndKeepTheLast) {
  std::vector<float> middles, widths;
  for (int i = 0; i < 40; ++i) middles.push_back(static_cast<float>(i) * 10), widths.push_back(24);
  const auto chosen = labels_that_fit(middles, widths, 4);
  ASSERT_GE(chosen.size(), 10U);
  EXPECT_EQ(chosen.front(), 0U);
  EXPECT_EQ(chosen.back(), 39U);
  for (std::size_t i = 1; i < chosen.size(); ++i) EXPECT_GE(middles[chosen[i]] - middles[chosen[i - 1]], 28);
  EXPECT_EQ(labels_that_fit(std::vector<float>{5}, std::vector<float>{90}, 4), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(labels_that_fit({}, {}, 4).empty());
}

}  // namespace
}  // namespace warpbook::app
