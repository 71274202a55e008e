// Arithmetic: how many arithmetic units a multiprocessor has, and the device's peak rate of floating-point operations.
//
//     const ArithmeticPeak peak = arithmetic_peak(device.info());
//     const int cores = device.info().multiprocessors * arithmetic_units(device.info().compute_capability).float32;
//     if (peak.float32 > 0) say("{:.1f} TFLOP/s", peak.float32 / 1e12);
//
// No CUDA call returns the number of arithmetic units. The programming guide lists it by compute capability.
#pragma once

#include <array>

#include "gpu/device.h"

namespace warpbook::gpu {

/// Additions, multiplications or fused multiply-adds that a multiprocessor finishes in a cycle. NVIDIA calls its float32 units
/// cores. 0: not known for this compute capability.
struct ArithmeticUnits {
  int float32 = 0, float64 = 0;
};

[[nodiscard]] inline ArithmeticUnits arithmetic_units(int compute_capability) {
  // CUDA C++ Programming Guide, "Arithmetic Instructions", table of throughputs.
  struct Throughput {
    int compute_capability;
    ArithmeticUnits units;
  };
  static constexpr std::array<Throughput, 13> throughputs{{{50, {128, 4}},
                                                           {52, {128, 4}},
                                                           {53, {128, 4}},
                                                           {60, {64, 32}},
                                                           {61, {128, 4}},
                                                           {62, {128, 4}},
                                                           {70, {64, 32}},
                                                           {75, {64, 2}},
                                                           {80, {64, 32}},
                                                           {86, {128, 2}},
                                                           {89, {128, 2}},
                                                           {90, {128, 64}},
                                                           {100, {128, 64}}}};
  for (const auto& [capability, units] : throughputs) {
    if (capability == compute_capability) return units;
  }
  return {};
}

/// Operations a second at the device's clock; a fused multiply-add is two. 0: not known for this compute capability.
struct ArithmeticPeak {
  double float32 = 0, float64 = 0;
};

[[nodiscard]] inline ArithmeticPeak arithmetic_peak(const DeviceInfo& device) {
  const ArithmeticUnits units = arithmetic_units(device.compute_capability);
  const double cycles = device.multiprocessors * device.clock_mhz * 1e6;  // of all multiprocessors, per second
  return {.float32 = 2 * units.float32 * cycles, .float64 = 2 * units.float64 * cycles};
}

}  // namespace warpbook::gpu
