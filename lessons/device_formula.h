// Device formulas: numbers that follow from a device's figures, for the texts of a quiz.
//
//     const DeviceFigures figures(device.info());
//     std::optional<double> all = figures.value("multiprocessors * cores");                  // 40 * 64
//     std::string told = figures.fill_in("It has {device: multiprocessors * cores} cores.");   // "It has 2,560 cores."
//
// A formula consists of numbers, + - * /, brackets, min(), max(), floor(), CUDA's names of device attributes (gpu/attributes.def),
// and these short names:
//     multiprocessors, cores (float32 units of a multiprocessor: gpu/arithmetic.h)
//     threads, blocks, registers, shared        of a multiprocessor
//     block_threads, block_shared, reserved     of a block; reserved is 0 where the device does not tell it
//     clock, memory_clock, bus                  kHz, kHz, bits
// Quotients are not rounded. The result is empty if the device does not report one of the names, or if the text is not a formula.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/device.h"

namespace warpbook::lessons {

class DeviceFigures {
 public:
  explicit DeviceFigures(const gpu::DeviceInfo& device);
  /// Figures in which every name has the value 1, to test whether a text is a formula.
  static DeviceFigures for_reading();

  [[nodiscard]] std::optional<double> value(std::string_view formula) const;
  /// Replaces {device: FORMULA} by its value, with commas between thousands and at most three decimals, or by a dash if there is no
  /// value. {device: name} is the device's name.
  [[nodiscard]] std::string fill_in(std::string_view text) const;

 private:
  DeviceFigures() = default;
  std::string name_;
  std::map<std::string, double, std::less<>> known_;
};

}  // namespace warpbook::lessons
