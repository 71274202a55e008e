// Numbers as the workbook writes them: digits in groups, a real minus sign, no superfluous zeros.
#pragma once

#include <string>

namespace warpbook::app {

/// "10,000": integers of five digits and more have their digits in groups of three.
[[nodiscard]] std::string grouped(long long value);

/// A number on an axis or in a table: at most `digits` significant digits, no trailing zeros, "5e−4" below a thousandth.
[[nodiscard]] std::string short_number(double value, int digits = 4);

/// A number with this many decimals, so that all numbers of an axis have the same count: "−0.8", "0.0", "0.8".
[[nodiscard]] std::string fixed_number(double value, int decimals);
/// How many decimals tell multiples of `step` apart; 6 at most.
[[nodiscard]] int decimals_of(double step);

}  // namespace warpbook::app
