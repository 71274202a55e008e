// The work that Warpbook and its peers are compared by: sizes, launch shapes, inputs, and a checksum of the results.
// numba_simulator.py repeats the inputs; kernels.cl repeats the kernels.
//
//     std::optional<Work> work = find_work("diffusion");
//     for (std::size_t i = 0; i < n; ++i) in[i] = input_diffusion(i);
//     check = checksum(out);              // equal to the other peers' within rounding
//
// size: cells a side (diffusion), rows (matmul), values (histogram, sum); race has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace warpbook::bench {

struct Shape {
  std::size_t grid_x = 1, grid_y = 1, block_x = 1, block_y = 1;
  [[nodiscard]] std::size_t threads() const { return grid_x * grid_y * block_x * block_y; }
};

enum class Work { diffusion, matmul, histogram_global, histogram_shared, sum, race };

inline std::optional<Work> find_work(std::string_view name) {
  constexpr std::string_view names[] = {"diffusion", "matmul", "histogram_global", "histogram_shared", "sum", "race"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return static_cast<Work>(i);
  }
  return std::nullopt;
}

constexpr std::size_t diffusion_tile = 8, matmul_tile = 16, sum_block = 128;

inline Shape shape_of(Work work, std::size_t size) {
  const auto over = [size](std::size_t each) { return (size + each - 1) / each; };
  switch (work) {
    case Work::diffusion:
      return {over(diffusion_tile), over(diffusion_tile), diffusion_tile, diffusion_tile};
    case Work::matmul:
      return {over(matmul_tile), over(matmul_tile), matmul_tile, matmul_tile};
    case Work::histogram_global:
    case Work::histogram_shared:
      return {128, 1, 64, 1};
    case Work::sum:
      return {over(sum_block), 1, sum_block, 1};
    case Work::race:
      break;
  }
  return {64, 1, 64, 1};
}

/// 256 bins in global memory; or, as in lesson 07, 10 bins that each block counts for itself first.
inline int bins_of(Work work) { return work == Work::histogram_global ? 256 : 10; }
constexpr float lowest = -4, highest = 4, coefficient = 0.25F;

inline float input_diffusion(std::size_t i) { return static_cast<float>(i % 97) / 97.0F; }
inline float input_a(std::size_t i) { return static_cast<float>(i * 7 % 13) / 8.0F - 0.75F; }
inline float input_b(std::size_t i) { return static_cast<float>(i * 5 % 11) / 8.0F - 0.625F; }
inline float input_histogram(std::size_t i) { return static_cast<float>(i * 2654435761U % 8192) / 1024.0F - 4.0F; }
inline float input_sum(std::size_t i) { return static_cast<float>(i * 2654435761U % 1024) / 1024.0F - 0.5F; }

/// Σ value · (1 + i mod 7): a value in the wrong place counts as wrong.
template <class T>
double checksum(std::span<const T> values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += static_cast<double>(values[i]) * static_cast<double>(1 + i % 7);
  return sum;
}

}  // namespace warpbook::bench
