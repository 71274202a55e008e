// Published measurements on hardware, with which the clock model is compared. Sources are marked as in profiles.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gpu/types.h"

namespace warpbook::bench {

/// A kernel's argument: an array of so many elements with the value `value`, or, with 0 elements, the value itself.
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
  std::string ladder;       // variants on one device whose order is checked
  bool with_launch = true;  // the measurement includes the launch overhead
  bool fitted = false;      // a constant of the profile was fitted to this point
  double mhz = 0;           // the clock during the measurement, if it differs from the profile's
  std::uint32_t shared_bytes = 0;
  std::vector<std::pair<std::string, std::string>> defines = {};
};

[[nodiscard]] const std::vector<Point>& points();

}  // namespace warpbook::bench
