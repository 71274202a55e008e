#include "app/views/sweep_layout.h"

#include <algorithm>
#include <cmath>

#include "app/views/layout.h"

namespace warpbook::app {
namespace {
constexpr double much = 50;
}

double ValueScale::share(double value) const {
  if (logarithmic) return value <= 0 ? 0 : std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

ValueScale scale_for(double least, double most, int at_most, bool whole_numbers) {
  ValueScale scale;
  if (least > 0 && most / least > much) {
    scale.logarithmic = true;
    const double first = std::floor(std::log10(least)), last = std::ceil(std::log10(most));
    const double every = std::max(std::ceil((last - first) / std::max(at_most - 1, 1)), 1.0);
    for (double power = first; power < last + every; power += every) scale.ticks.push_back(std::pow(10, power));
    scale.low = scale.ticks.front();
    scale.high = scale.ticks.back();
    return scale;
  }
  scale.low = std::min(least, 0.0);
  scale.high = std::max(most, 0.0);
  if (scale.low == scale.high) scale.high = 1;
  scale.ticks = axis_ticks(scale.low, scale.high, at_most);
  if (scale.ticks.size() >= 2) {  // to the next round number, so that the highest point has room
    double step = scale.ticks[1] - scale.ticks[0];
    if (whole_numbers) step = std::max(std::ceil(step), 1.0);  // half a bin is none
    scale.low = std::floor(scale.low / step + 1e-9) * step;
    scale.high = std::ceil(scale.high / step - 1e-9) * step;
    if (least == most && most == scale.high) scale.high += step;  // a line, not the plot's edge
    scale.ticks.clear();
    const auto steps = static_cast<int>(std::lround((scale.high - scale.low) / step));
    for (int i = 0; i <= steps; ++i) scale.ticks.push_back(scale.low + i * step);
  }
  return scale;
}

std::vector<double> places_of(const lessons::SweepAxis& axis) {
  const std::size_t count = axis.values.size();
  if (count == 1) return {0.5};
  std::vector<double> places(count);
  if (axis.named) {
    for (std::size_t i = 0; i < count; ++i) places[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    return places;
  }
  std::vector<double> along = axis.values;
  if (axis.logarithmic) {
    for (double& value : along) value = value > 0 ? std::log2(value) : -1;  // 0 a step before 1
  }
  for (std::size_t i = 0; i < count; ++i) places[i] = (along[i] - along.front()) / (along.back() - along.front());
  return places;
}

std::vector<std::size_t> labels_that_fit(std::span<const float> middles, std::span<const float> widths, float gap) {
  const std::size_t count = middles.size();
  std::vector<std::size_t> chosen;
  for (std::size_t every = 1; every < count; ++every) {
    chosen.clear();
    for (std::size_t i = 0; i < count; i += every) chosen.push_back(i);
    // The last one is worth more than its neighbour.
    if (chosen.back() != count - 1) {
      if (chosen.size() > 1) chosen.pop_back();
      chosen.push_back(count - 1);
    }
    bool touch = false;
    for (std::size_t i = 1; i < chosen.size() && !touch; ++i) {
      const std::size_t a = chosen[i - 1], b = chosen[i];
      touch = middles[a] + widths[a] / 2 + gap > middles[b] - widths[b] / 2;
    }
    if (!touch) return chosen;
  }
  if (count == 0) return {};
  return {0};
}

}  // namespace warpbook::app
