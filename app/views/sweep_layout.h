// Where things stand in a sweep's chart, as pure functions. Shares run from 0 to 1.
//
//     const ValueScale scale = scale_for(chart.least, chart.most, 6);
//     y = bottom - scale.share(value) * height;
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lessons/sweep_chart.h"

namespace warpbook::app {

/// An axis for results: from 0 on where that is no waste, logarithmic where they differ by more than fifty times.
struct ValueScale {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;
  [[nodiscard]] double share(double value) const;
};
[[nodiscard]] ValueScale scale_for(double least, double most, int at_most, bool whole_numbers = false);

/// Where the values of a control stand: as its slider has them, words at equal distances.
[[nodiscard]] std::vector<double> places_of(const lessons::SweepAxis& axis);

/// Labels that do not touch each other: the first, the last, and what fits between them, evenly. Positions ascend.
[[nodiscard]] std::vector<std::size_t> labels_that_fit(std::span<const float> middles, std::span<const float> widths, float gap);

}  // namespace warpbook::app
