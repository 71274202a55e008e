// What others measured on hardware: the points that the clock model is held against. Sources as profiles.cpp marks them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gpu/types.h"

namespace warpbook::bench {

/// A kernel's argument: an array of so many elements that hold `value`, or, of none, the value itself.
struct Given {
  gpu::Scalar value;
  std::size_t elements = 0;
};

struct Point {
  std::string profile, file, kernel, configuration;
  gpu::Dim3 grid, block;
  std::vector<Given> given;
  double measured_us = 0;
  std::string source;
  std::string ladder;         // variants of one thing on one device, whose order is checked
  bool with_launch = true;    // the measurement holds the launch's overhead
  bool fitted = false;        // a constant of the profile comes from this point
  double mhz = 0;             // the clock while it was measured, where it is not the profile's
  std::uint32_t shared_bytes = 0;
  std::vector<std::pair<std::string, std::string>> defines = {};
};

[[nodiscard]] const std::vector<Point>& points();

}  // namespace warpbook::bench
