#include "app/text/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbook::app {
namespace {

/// Proper minus signs, and exponents without padding: "5e-04" → "5e−4".
std::string typeset(std::string number) {
  if (const auto e = number.find('e'); e != std::string::npos) {
    std::size_t at = e + 1;
    if (number[at] == '+') number.erase(at, 1);
    if (number[at] == '-') ++at;
    while (at + 1 < number.size() && number[at] == '0') number.erase(at, 1);
  }
  for (std::size_t at = number.find('-'); at != std::string::npos; at = number.find('-', at)) number.replace(at, 1, "−");
  return number;
}

}  // namespace

std::string grouped(long long value) {
  std::string digits = std::to_string(value < 0 ? -static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value));
  if (digits.size() >= 5) {
    for (std::size_t at = digits.size() - 3; at > 0 && at<digits.size(); at = at> 3 ? at - 3 : 0) digits.insert(at, 1, ',');
  }
  return value < 0 ? "−" + digits : digits;
}

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == 0) return "0";
  const double size = std::abs(value);
  const auto trimmed = [](std::string text) {
    if (text.find('.') == std::string::npos) return text;
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
  };
  if (size < 1e-3 || size >= 1e9) {
    const std::string text = fmt::format("{:.{}e}", value, std::max(digits - 1, 0));
    const auto e = text.find('e');
    return typeset(trimmed(text.substr(0, e)) + text.substr(e));
  }
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;  // below 1: minus the zeros after the point
  return typeset(trimmed(fmt::format("{:.{}f}", value, std::max(digits - before, 0))));
}

std::string fixed_number(double value, int decimals) {
  if (!std::isfinite(value)) return short_number(value, decimals);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);  // no "−0.0"
  return typeset(std::move(text));
}

int decimals_of(double step) {
  double scaled = std::abs(step);
  int decimals = 0;
  while (decimals < 6 && std::abs(scaled - std::round(scaled)) > 1e-6 * std::max(scaled, 1.0)) {
    scaled *= 10;
    ++decimals;
  }
  return decimals;
}

}  // namespace warpbook::app
