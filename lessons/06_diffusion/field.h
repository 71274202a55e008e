// Field: lesson 06's jagged start, the step it is judged by, and what is measured of a result. Plain arithmetic on the CPU.
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

/// The course's field: white noise (noise.h) whose spectrum is weighted by radius^−1.7 (radius = 1 + distance from zero frequency,
/// in cycles a side), cut to the disc where that same radius, in cells from the middle, is below 0.45 sides; what is not above the
/// 70th percentile is 0. Always the same for one side. The last few sizes are kept, as a big one takes seconds.
[[nodiscard]] std::shared_ptr<const std::vector<float>> jagged_field(std::uint32_t side);

/// One explicit step of the heat equation with two buffers and closed edges, in float32, in the kernel's order of operations.
struct Step {
  std::vector<float> heat, laplacian;
};
[[nodiscard]] Step reference_step(std::span<const float> in, std::uint32_t side, float coefficient);

/// How far a step lies from its reference: along the tiles' outermost cells, and elsewhere.
struct Differences {
  double along_tile_edges = 0, inside_tiles = 0;  // the largest
  std::int64_t cells = 0;                         // that differ by more than 1e-5
};
[[nodiscard]] Differences compare(std::span<const float> result, std::span<const float> reference, std::uint32_t side,
                                  std::uint32_t tile);

struct Summary {
  double sum = 0, least = 0, most = 0;
  bool finite = true;
};
[[nodiscard]] Summary summarise(std::span<const float> field);

/// The finest checkerboard's share of the Laplacian's energy, 0 … 1: Σ(h∗L)² / ΣL², where h passes, in x and in y, the upper
/// half of the frequencies: the half-band filter (1, 0, −9, 16, −9, 0, 1) / 32 of Deslauriers and Dubuc (Constr. Approx. 5,
/// 1989). A lone checkerboard gives 1, a smooth field 0. 0 where the field is not finite.
[[nodiscard]] double checkerboard_share(std::span<const float> laplacian, std::uint32_t side);

/// A symmetric colour range for a Laplacian drawn averaged: the 98th percentile of the means of even-sided squares (in which
/// a checkerboard cancels), rounded up to 1, 2 or 5 × 10ⁿ so that the scale stands still between frames.
[[nodiscard]] double laplacian_limit(std::span<const float> laplacian, std::uint32_t side);

/// Adds a soft round spot: `heat` at its centre, a Gaussian of standard deviation radius / 2, nothing beyond 2 radii. Position
/// and radius are in sides. Returns the heat added, as the field's float32 took it up.
double add_heat(std::span<float> field, std::uint32_t side, double x, double y, double radius, double heat);

}  // namespace warpbook::lessons::heat
