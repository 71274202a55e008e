// DeviceWords: a device's figures as words, and the rows of a table that hold what somebody looks for. Pure.
//
//     device_figure(49152, "bytes", 0) == "48 KiB"
//     device_figure(1590000, "kHz", 0) == "1590 MHz"
//     for (const std::size_t row : rows_found(table, "shared")) …
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/figures.h"

namespace warpbook::app {

/// Bytes and frequencies always have their unit, in a size that is easy to read; others only where `with_unit` says so.
[[nodiscard]] std::string device_figure(double value, std::string_view unit, int decimals, bool with_unit = true);

/// Those with every word of `words` in their name, unit or sentences, whatever the case; all of them for none.
[[nodiscard]] std::vector<std::size_t> rows_found(const lessons::DeviceTable& table, std::string_view words);

}  // namespace warpbook::app
