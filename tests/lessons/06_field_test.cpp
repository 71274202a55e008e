// Lesson 06's field: the start, the reference step and the measures, on the CPU alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lessons/06_diffusion/field.h"
#include "lessons/06_diffusion/noise.h"

namespace warpbook::lessons::heat {
namespace {

TEST(NumpyNoise, IsNumpys) {
  // numpy.random.default_rng(3966789).random(4, dtype=numpy.float32), and default_rng(0)'s
  NumpyNoise noise(3966789);
  EXPECT_EQ(noise.next(), 0.845483601F);
  EXPECT_EQ(noise.next(), 0.812550545F);
  EXPECT_EQ(noise.next(), 0.442750871F);
  EXPECT_EQ(noise.next(), 0.468950272F);
  NumpyNoise zero(0);
  EXPECT_EQ(zero.next(), 0.850624204F);
  EXPECT_EQ(zero.next(), 0.636961639F);
  EXPECT_EQ(zero.next(), 0.511136472F);
  EXPECT_EQ(zero.next(), 0.269786656F);
}

TEST(JaggedField, IsTheCoursesAt2000) {
  // The document's own lines in NumPy give 600,009.22 and at most 0.500346. Its transform is float64's: with float32 some dozens
  // of the thousands of cells that lie within rounding of the 70th percentile fall to its other side.
  const Summary summary = summarise(*jagged_field(2000));
  EXPECT_NEAR(summary.sum, 600'009.22, 60);
  EXPECT_NEAR(summary.most, 0.500346, 2e-6);
}

TEST(JaggedField, KeepsThirtyPercentOfItsCellsWithinTheDisc) {
  for (const std::uint32_t side : {64U, 255U, 512U}) {
    const auto field = jagged_field(side);
    ASSERT_EQ(field->size(), std::size_t{side} * side);
    const auto kept = static_cast<double>(std::count_if(field->begin(), field->end(), [](float v) { return v != 0; }));
    EXPECT_NEAR(kept / double(field->size()), 0.30, 0.01) << side;
    for (std::size_t at = 0; at < field->size(); ++at) {
      const double y = double(at / side) - side / 2, x = double(at % side) - side / 2;
      if ((*field)[at] != 0) {
        ASSERT_LT(1 + std::hypot(x, y), 0.45 * side) << at;
      }
    }
    const Summary summary = summarise(*field);
    EXPECT_EQ(summary.least, 0);
    EXPECT_GT(summary.most, 0.5);
    EXPECT_LT(summary.most, 0.6) << "nearly two-valued";
    EXPECT_EQ(jagged_field(side), field) << "made once";
  }
}

TEST(ReferenceStep, KeepsTheSumAndLeavesAFlatFieldAlone) {
  const auto field = jagged_field(200);
  std::vector<float> heat = *field;
  for (int i = 0; i < 50; ++i) heat = reference_step(heat, 200, 0.25F).heat;
  EXPECT_NEAR(summarise(heat).sum, summarise(*field).sum, 1e-2);

  // Heat at the very corner stays in the field.
  std::vector<float> corner(64 * 64);
  corner[0] = 1;
  for (int i = 0; i < 50; ++i) corner = reference_step(corner, 64, 0.25F).heat;
  EXPECT_NEAR(summarise(corner).sum, 1, 1e-6);

  const std::vector<float> flat(64 * 64, 0.5F);
  EXPECT_EQ(reference_step(flat, 64, 0.25F).heat, flat);
}

std::vector<float> checkerboard(std::uint32_t side, float height) {
  std::vector<float> field(std::size_t{side} * side);
  for (std::size_t at = 0; at < field.size(); ++at) field[at] = (at / side + at % side) % 2 == 0 ? height : -height;
  return field;
}

TEST(CheckerboardShare, IsOneForACheckerboardAndNothingForASmoothField) {
  EXPECT_NEAR(checkerboard_share(checkerboard(128, 1), 128), 1, 0.05);  // the rim has no neighbours to filter with
  std::vector<float> wave(128 * 128);
  for (std::size_t at = 0; at < wave.size(); ++at) wave[at] = std::sin(static_cast<float>(at % 128) * 0.1F);
  EXPECT_LT(checkerboard_share(wave, 128), 1e-4);
  std::vector<float> stripes(128 * 128);
  for (std::size_t at = 0; at < stripes.size(); ++at) stripes[at] = at % 2 == 0 ? 1.0F : -1.0F;
  EXPECT_LT(checkerboard_share(stripes, 128), 1e-4) << "fine in one direction only is no checkerboard";
  EXPECT_EQ(checkerboard_share(std::vector<float>(64 * 64), 64), 0);
}

TEST(CheckerboardShare, NeverDiesAtAQuarterAndIsGoneBelow) {
  const std::uint32_t side = 256;
  const auto share_after = [&](float coefficient) {
    Step step = reference_step(*jagged_field(side), side, coefficient);
    for (int i = 1; i < 681; ++i) step = reference_step(step.heat, side, coefficient);
    return checkerboard_share(step.laplacian, side);
  };
  EXPECT_GT(share_after(0.25F), 0.9);
  EXPECT_LT(share_after(0.24F), 1e-3);
}

TEST(Compare, SeparatesTileEdgesFromInsides) {
  const std::vector<float> reference(64 * 64);
  std::vector<float> result = reference;
  result[3 * 64 + 7] = 0.5F;  // last column of an 8 × 8 tile
  Differences d = compare(result, reference, 64, 8);
  EXPECT_EQ(d.along_tile_edges, 0.5);
  EXPECT_EQ(d.inside_tiles, 0);
  EXPECT_EQ(d.cells, 1);
  result[3 * 64 + 3] = NAN;
  d = compare(result, reference, 64, 8);
  EXPECT_TRUE(std::isinf(d.inside_tiles));
}

TEST(AddHeat, AddsWhatItSays) {
  std::vector<float> field(256 * 256, 0.25F);
  const double before = summarise(field).sum;
  const double added = add_heat(field, 256, 0.5, 0.5, 0.05, 0.5);
  EXPECT_NEAR(summarise(field).sum - before, added, 1e-6);
  // A Gaussian's integral: 2π σ² times its height, but for what lies beyond four deviations.
  const double deviation = 0.05 * 256 / 2;
  EXPECT_NEAR(added, 2 * M_PI * deviation * deviation * 0.5, 0.01 * added);
  EXPECT_GT(add_heat(field, 256, 0.0, 1.0, 0.05, 0.5), 0) << "half over the edge";
  EXPECT_EQ(add_heat(field, 256, 5, 5, 0.05, 0.5), 0);
  EXPECT_EQ(add_heat(field, 256, 0.5, 0.5, 0, 0.5), 0);
}

TEST(LaplacianLimit, IsARoundNumberThatIgnoresACheckerboard) {
  std::vector<float> field = checkerboard(640, 100);
  for (float& value : field) value += 0.3F;
  EXPECT_NEAR(laplacian_limit(field, 640), 0.5, 1e-12);
  EXPECT_EQ(laplacian_limit(std::vector<float>(64 * 64), 64), 1) << "nothing to show yet";
}

}  // namespace
}  // namespace warpbook::lessons::heat
