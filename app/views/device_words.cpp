#include "app/views/device_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "app/text/numbers.h"
#include "app/ui/draw.h"
#include "app/views/layout.h"
#include "gpu/message.h"
#include "gpu/text.h"

namespace warpbook::app {
namespace {

/// Whole numbers have no decimals.
std::string figure_digits(double value, int decimals) {
  if (value == 2147483647) return "2³¹ − 1";
  if (decimals == 0 || value == std::round(value)) return grouped(std::llround(value));
  return fixed_number(value, decimals);
}

std::string bytes_in_words(double bytes, int decimals) {
  constexpr std::array<std::string_view, 4> units{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return say("{n} bytes", "n"_a = figure_digits(bytes, decimals));
  std::size_t i = 0;
  for (bytes /= 1024; bytes >= 1024 && i + 1 < units.size(); bytes /= 1024) ++i;
  return short_number(bytes, 4) + " " + std::string(units[i]);
}

}  // namespace

std::string device_figure(double value, std::string_view unit, int decimals, bool with_unit) {
  if (unit == "bytes") return bytes_in_words(value, decimals);
  if (unit == "kHz") return figure_digits(value / 1000, 1) + " MHz";
  const std::string digits = figure_digits(value, decimals);
  return with_unit && !unit.empty() ? digits + " " + std::string(unit) : digits;
}

std::vector<std::size_t> rows_found(const lessons::DeviceTable& table, std::string_view words) {
  std::istringstream stream{lowered(words)};
  std::vector<std::string> wanted;
  for (std::string word; stream >> word;) wanted.push_back(word);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const lessons::DeviceTable::Row& row = table.rows[i];
    const std::string text = lowered(row.name + " " + row.unit + " " + row.meaning + " " + row.launch);
    const auto in_row = [&](const std::string& word) { return text.find(word) != std::string::npos; };
    if (std::all_of(wanted.begin(), wanted.end(), in_row)) found.push_back(i);
  }
  return found;
}

}  // namespace warpbook::app
