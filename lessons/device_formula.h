// Device formulas: what follows from the figures of a device, in the words of a quiz.
//
//     const DeviceFigures figures(device.info());
//     std::optional<double> all = figures.value("multiprocessors * cores");                  // 40 * 64
//     std::string told = figures.fill_in("It has {device: multiprocessors * cores} cores.");   // "It has 2,560 cores."
//
// A formula has numbers, + - * /, brackets, min(), max() and floor(), CUDA's names of a device's attributes (gpu/attributes.def),
// and these shorter ones:
//     multiprocessors, cores (float32 units of a multiprocessor: gpu/arithmetic.h)
//     threads, blocks, registers, shared        of a multiprocessor
//     block_threads, block_shared, reserved     of a block; reserved is 0 where the device does not tell it
//     clock, memory_clock, bus                  kHz, kHz, bits
// A quotient is never rounded down by itself. Nothing: the device does not tell one of the names, or the text is no formula.
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
  /// Every name that a formula may have has the value 1: for whoever only asks whether a text is a formula.
  static DeviceFigures for_reading();

  [[nodiscard]] std::optional<double> value(std::string_view formula) const;
  /// {device: FORMULA} is replaced by its value, with commas between thousands and no more than three decimals; by a dash where
  /// there is none. {device: name} is the device's name.
  [[nodiscard]] std::string fill_in(std::string_view text) const;

 private:
  DeviceFigures() = default;
  std::string name_;
  std::map<std::string, double, std::less<>> known_;
};

}  // namespace warpbook::lessons
