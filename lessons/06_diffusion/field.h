// Field: the initial field of lesson 06, a reference step, and measurements of results. Computed on the CPU.
//
//     std::shared_ptr<const std::vector<float>> start = heat::jagged_field(2000);
//     heat::Step reference = heat::reference_step(*start, 2000, 0.25F);
//     heat::Differences d = heat::compare(result, reference.heat, 2000, 8);
//
// Fields are square and row-major. Sums, shares and differences are computed in float64.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpbook::lessons::heat {

/// The reference program's field: white noise (noise.h) whose spectrum is weighted by radius^−1.7 (radius = 1 + distance from zero
/// frequency, in cycles per side). It is cut to the disc where that radius, in cells from the middle, is below 0.45 sides, and
/// values up to the 70th percentile are set to 0. The field depends only on the side. The last few sizes are cached, because a
/// large one takes seconds.
[[nodiscard]] std::shared_ptr<const std::vector<float>> jagged_field(std::uint32_t side);

/// One explicit step of the heat equation with two buffers and closed edges, in float32, in the kernel's order of operations.
struct Step {
  std::vector<float> heat, laplacian;
};
[[nodiscard]] Step reference_step(std::span<const float> in, std::uint32_t side, float coefficient);

/// The differences of a step from its reference, along the edges of tiles and elsewhere.
struct Differences {
  double along_tile_edges = 0, inside_tiles = 0;  // maxima
  std::int64_t cells = 0;                         // number of cells that differ by more than 1e-5
};
[[nodiscard]] Differences compare(std::span<const float> result, std::span<const float> reference, std::uint32_t side,
                                  std::uint32_t tile);

struct Summary {
  double sum = 0, least = 0, most = 0;
  bool finite = true;
};
[[nodiscard]] Summary summarise(std::span<const float> field);

/// The share of the Laplacian's energy that is in the checkerboard mode, 0 … 1: Σ(h∗L)² / ΣL². The filter h passes the upper half
/// of the frequencies in x and in y: the half-band filter (1, 0, −9, 16, −9, 0, 1) / 32 of Deslauriers and Dubuc (Constr. Approx.
/// 5, 1989). A pure checkerboard gives 1, a smooth field 0. The result is 0 if the field is not finite.
[[nodiscard]] double checkerboard_share(std::span<const float> laplacian, std::uint32_t side);

/// A symmetric colour range for a Laplacian that is drawn as averages: the 98th percentile of the means of squares with even sides
/// (in which a checkerboard cancels), rounded up to 1, 2 or 5 × 10ⁿ so that the scale is stable between frames.
[[nodiscard]] double laplacian_limit(std::span<const float> laplacian, std::uint32_t side);

/// Adds a Gaussian spot with the value `heat` at its centre and the standard deviation radius / 2, cut off at two radii. Position
/// and radius are in units of the side. Returns the added heat as it was rounded to float32.
double add_heat(std::span<float> field, std::uint32_t side, double x, double y, double radius, double heat);

}  // namespace warpbook::lessons::heat
