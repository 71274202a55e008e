#include "lessons/06_diffusion/field.h"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <mutex>

#include "lessons/06_diffusion/noise.h"

namespace warpbook::lessons::heat {
namespace {

constexpr double exponent = -1.7;
constexpr double kept_above = 0.70;
constexpr double disc = 0.45;
constexpr std::uint32_t seed_of_noise = 3'966'789;  // the reference program's
constexpr std::size_t most_cached = 2;              // a 4096² field is 64 MB

struct FreeFftw {
  void operator()(float* data) const { fftwf_free(data); }
};
struct DestroyPlan {
  void operator()(fftwf_plan_s* plan) const { fftwf_destroy_plan(plan); }
};
using Plan = std::unique_ptr<fftwf_plan_s, DestroyPlan>;

/// The same as NumPy's percentile: linear interpolation between the two nearest ranks.
float quantile(std::vector<float> values, double share) {
  const double rank = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const float low = *at;
  const float high = at + 1 == values.end() ? low : *std::min_element(at + 1, values.end());
  return static_cast<float>(low + (rank - static_cast<double>(below)) * (static_cast<double>(high) - low));
}

std::vector<float> make_jagged_field(std::uint32_t side) {
  const std::size_t n = side;
  const std::size_t half = n / 2 + 1;   // the spectrum of a real field is symmetric, so half of it is enough
  const std::size_t padded = 2 * half;  // floats in a row of the in-place transform
  const std::unique_ptr<float, FreeFftw> data(fftwf_alloc_real(n * padded));
  auto* spectrum = reinterpret_cast<fftwf_complex*>(data.get());
  const int extent = static_cast<int>(side);
  // FFTW_ESTIMATE, because measuring plans takes longer than the transform for a size that is used once.
  const Plan forward(fftwf_plan_dft_r2c_2d(extent, extent, data.get(), spectrum, FFTW_ESTIMATE));
  const Plan back(fftwf_plan_dft_c2r_2d(extent, extent, spectrum, data.get(), FFTW_ESTIMATE));

  NumpyNoise noise(seed_of_noise);
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) data.get()[y * padded + x] = noise.next();
  }
  fftwf_execute(forward.get());
  for (std::size_t y = 0; y < n; ++y) {
    const double fy = static_cast<double>(std::min(y, n - y));
    for (std::size_t x = 0; x < half; ++x) {
      const double radius = 1 + std::hypot(fy, static_cast<double>(x));
      // 1 / n²: FFTW's transforms are not normalised.
      const auto weight = static_cast<float>(std::pow(radius, exponent) / (static_cast<double>(n) * static_cast<double>(n)));
      spectrum[y * half + x][0] *= weight;
      spectrum[y * half + x][1] *= weight;
    }
  }
  fftwf_execute(back.get());

  std::vector<float> field(n * n);
  const auto middle = static_cast<double>(n / 2);
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) {
      const double radius = 1 + std::hypot(static_cast<double>(y) - middle, static_cast<double>(x) - middle);
      if (radius < disc * static_cast<double>(n)) field[y * n + x] = data.get()[y * padded + x];
    }
  }
  const float threshold = quantile(field, kept_above);
  for (float& value : field) value = value > threshold ? value : 0.0F;
  return field;
}

}  // namespace

std::shared_ptr<const std::vector<float>> jagged_field(std::uint32_t side) {
  static std::mutex mutex;  // for the cache, and because FFTW plans on one thread at a time
  static std::deque<std::pair<std::uint32_t, std::shared_ptr<const std::vector<float>>>> cache;
  const std::lock_guard lock(mutex);
  for (const auto& [cached_side, field] : cache) {
    if (cached_side == side) return field;
  }
  cache.emplace_front(side, std::make_shared<const std::vector<float>>(make_jagged_field(side)));
  if (cache.size() > most_cached) cache.pop_back();
  return cache.front().second;
}

Step reference_step(std::span<const float> in, std::uint32_t side, float coefficient) {
  const std::size_t n = side;
  Step step{std::vector<float>(n * n), std::vector<float>(n * n)};
  for (std::size_t y = 0; y < n; ++y) {
    const float* row = &in[y * n];
    const float* above = y > 0 ? row - n : row;  // closed edges: a missing neighbour is replaced by the cell itself
    const float* below = y + 1 < n ? row + n : row;
    for (std::size_t x = 0; x < n; ++x) {
      const float left = row[x > 0 ? x - 1 : x], right = row[x + 1 < n ? x + 1 : x];
      const float l = 4 * row[x] - left - right - above[x] - below[x];
      step.laplacian[y * n + x] = l;
      step.heat[y * n + x] = row[x] - coefficient * l;
    }
  }
  return step;
}

Differences compare(std::span<const float> result, std::span<const float> reference, std::uint32_t side, std::uint32_t tile) {
  Differences differences;
  for (std::uint32_t y = 0; y < side; ++y) {
    const bool edge_row = y % tile == 0 || y % tile == tile - 1;
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::size_t at = std::size_t{y} * side + x;
      double apart = std::abs(static_cast<double>(result[at]) - static_cast<double>(reference[at]));
      if (std::isnan(apart)) apart = HUGE_VAL;
      double& largest = edge_row || x % tile == 0 || x % tile == tile - 1 ? differences.along_tile_edges : differences.inside_tiles;
      largest = std::max(largest, apart);
      if (apart > 1e-5) ++differences.cells;
    }
  }
  return differences;
}

Summary summarise(std::span<const float> field) {
  Summary summary;
  if (field.empty()) return summary;
  float least = field.front(), most = field.front();
  for (const float value : field) {
    summary.sum += static_cast<double>(value);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  summary.least = least;
  summary.most = most;
  summary.finite = std::isfinite(summary.sum);  // one infinity or NaN makes the sum not finite
  return summary;
}

double checkerboard_share(std::span<const float> laplacian, std::uint32_t side) {
  const auto n = static_cast<std::ptrdiff_t>(side);
  const auto nearest = [n](std::ptrdiff_t i) { return std::clamp<std::ptrdiff_t>(i, 0, n - 1); };
  const auto half_band = [](double m3, double m1, double here, double p1, double p3) {
    return (16 * here - 9 * (m1 + p1) + (m3 + p3)) / 32;
  };
  // Rows that were filtered in x are kept in a ring of seven, for filtering in y.
  constexpr std::ptrdiff_t ring_rows = 7;
  std::vector<double> ring(static_cast<std::size_t>(ring_rows * n));
  double energy = 0, fine = 0;
  const auto filter_row = [&](std::ptrdiff_t y) {
    const float* row = &laplacian[static_cast<std::size_t>(y * n)];
    double* out = &ring[static_cast<std::size_t>(y % ring_rows * n)];
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      const bool inner = x >= 3 && x + 3 < n;
      out[x] = inner ? half_band(row[x - 3], row[x - 1], row[x], row[x + 1], row[x + 3])
                     : half_band(row[nearest(x - 3)], row[nearest(x - 1)], row[x], row[nearest(x + 1)], row[nearest(x + 3)]);
      energy += static_cast<double>(row[x]) * static_cast<double>(row[x]);
    }
  };
  for (std::ptrdiff_t y = 0; y < std::min<std::ptrdiff_t>(3, n); ++y) filter_row(y);
  for (std::ptrdiff_t y = 0; y < n; ++y) {
    if (y + 3 < n) filter_row(y + 3);
    const auto row = [&](std::ptrdiff_t at) { return &ring[static_cast<std::size_t>(nearest(at) % ring_rows * n)]; };
    const double *m3 = row(y - 3), *m1 = row(y - 1), *here = row(y), *p1 = row(y + 1), *p3 = row(y + 3);
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      const double value = half_band(m3[x], m1[x], here[x], p1[x], p3[x]);
      fine += value * value;
    }
  }
  const double share = fine / energy;
  return std::isfinite(share) ? share : 0;
}

double laplacian_limit(std::span<const float> laplacian, std::uint32_t side) {
  const std::size_t n = side;
  const std::size_t square = std::max<std::size_t>(2, n / 640 * 2);  // about one pixel of a picture of 320 × 320
  std::vector<double> means;
  means.reserve(n / square * (n / square));
  for (std::size_t y = 0; y + square <= n; y += square) {
    for (std::size_t x = 0; x + square <= n; x += square) {
      double sum = 0;
      for (std::size_t j = 0; j < square; ++j) {
        for (std::size_t i = 0; i < square; ++i) sum += static_cast<double>(laplacian[(y + j) * n + x + i]);
      }
      const double mean = std::abs(sum) / static_cast<double>(square * square);
      if (std::isfinite(mean)) means.push_back(mean);
    }
  }
  if (means.empty()) return 1;
  const auto at = means.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(means.size() - 1));
  std::nth_element(means.begin(), at, means.end());
  if (*at <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(*at)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (*at <= step * power) return step * power;
  }
  return 10 * power;
}

double add_heat(std::span<float> field, std::uint32_t side, double x, double y, double radius, double heat) {
  const double n = side;
  const double cx = x * n, cy = y * n, reach = 2 * radius * n, deviation = radius * n / 2;
  if (!(deviation > 0)) return 0;
  const auto from = [n](double low) { return static_cast<std::size_t>(std::clamp(std::floor(low), 0.0, n)); };
  const auto to = [n](double high) { return static_cast<std::size_t>(std::clamp(std::ceil(high), 0.0, n)); };
  double added = 0;
  for (std::size_t j = from(cy - reach); j < to(cy + reach); ++j) {
    for (std::size_t i = from(cx - reach); i < to(cx + reach); ++i) {
      const double dx = static_cast<double>(i) + 0.5 - cx, dy = static_cast<double>(j) + 0.5 - cy;
      const double distance = dx * dx + dy * dy;
      if (distance > reach * reach) continue;
      float& cell = field[j * side + i];
      const float before = cell;
      cell = static_cast<float>(before + heat * std::exp(-distance / (2 * deviation * deviation)));
      added += static_cast<double>(cell) - static_cast<double>(before);
    }
  }
  return added;
}

}  // namespace warpbook::lessons::heat
