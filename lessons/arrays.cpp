#include "lessons/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/elements.h"

namespace warpbook::lessons {
namespace {

constexpr std::size_t most_parts = 512;    // at most one per pixel of a chart
constexpr std::uint32_t most_cells = 512;  // on a side of a picture
constexpr std::size_t least_side = 2;      // of a picture

/// Sets rows, columns and channels if the shape is that of a picture.
void shape_picture(Arrays::One& one) {
  const auto& shape = one.array.shape;
  const bool colour = shape.size() == 3 && (shape[2] == 3 || shape[2] == 4);
  if ((shape.size() != 2 && !colour) || shape[0] < least_side || shape[1] < least_side) return;
  one.rows = static_cast<std::uint32_t>(std::min<std::size_t>(shape[0], most_cells));
  one.columns = static_cast<std::uint32_t>(std::min<std::size_t>(shape[1], most_cells));
  one.channels = colour ? 3 : 1;
}

/// Each cell is the mean of its elements, or NaN if they contain no number.
void fill_picture(Arrays::One& one, std::span<const std::byte> bytes) {
  const std::size_t height = one.array.shape[0], width = one.array.shape[1];
  const std::size_t stride = one.array.shape.size() == 3 ? one.array.shape[2] : 1;
  const bool whole = one.array.type != gpu::ScalarType::float32 && one.array.type != gpu::ScalarType::float64;
  const double scale = one.channels == 3 && whole ? 1.0 / 255 : 1.0;
  one.cells.reserve(std::size_t{one.rows} * one.columns * one.channels);
  for (std::size_t row = 0; row < one.rows; ++row) {
    const std::size_t y0 = row * height / one.rows, y1 = (row + 1) * height / one.rows;
    for (std::size_t column = 0; column < one.columns; ++column) {
      const std::size_t x0 = column * width / one.columns, x1 = (column + 1) * width / one.columns;
      for (std::size_t channel = 0; channel < one.channels; ++channel) {
        double sum = 0;
        std::size_t numbers = 0;
        for (std::size_t y = y0; y < y1; ++y) {
          for (std::size_t x = x0; x < x1; ++x) {
            const double value = gpu::element_value(one.array.type, bytes, (y * width + x) * stride + channel);
            if (!std::isfinite(value)) continue;
            sum += value;
            ++numbers;
          }
        }
        one.cells.push_back(numbers == 0 ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(sum / static_cast<double>(numbers) * scale));
      }
    }
  }
}

}  // namespace

Arrays::One look_at(gpu::Array array, bool read_only, std::vector<std::byte> before, std::vector<std::byte> after,
                    std::size_t keep_bytes) {
  Arrays::One one{.array = std::move(array), .read_only = read_only};
  const std::size_t count = one.array.count(), size = gpu::size_of(one.array.type);
  const std::size_t parts = std::min(count, most_parts);
  one.least = std::numeric_limits<double>::infinity();
  one.most = -one.least;
  double sum = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    Arrays::Part bounds{.least = std::numeric_limits<double>::infinity(), .most = -std::numeric_limits<double>::infinity()};
    for (std::size_t i = part * count / parts; i < (part + 1) * count / parts; ++i) {
      if (std::memcmp(before.data() + i * size, after.data() + i * size, size) != 0) ++one.changed;
      const double value = gpu::element_value(one.array.type, after, i);
      if (!std::isfinite(value)) {
        ++one.not_numbers;
        continue;
      }
      bounds.least = std::min(bounds.least, value);
      bounds.most = std::max(bounds.most, value);
      sum += value;
    }
    one.least = std::min(one.least, bounds.least);
    one.most = std::max(one.most, bounds.most);
    one.parts.push_back(bounds);
  }
  if (one.not_numbers < count) {
    one.mean = sum / static_cast<double>(count - one.not_numbers);
  } else {
    one.least = one.most = 0;
  }
  shape_picture(one);
  if (one.rows > 0) fill_picture(one, after);
  if (after.size() <= keep_bytes) {
    one.before = std::move(before);
    one.after = std::move(after);
  }
  return one;
}

}  // namespace warpbook::lessons
