#include "lessons/device_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "gpu/arithmetic.h"
#include "gpu/attributes.h"
#include "gpu/source_tokens.h"
#include "gpu/source_values.h"

namespace warpbook::lessons {
namespace {

constexpr std::string_view cores = "cores", reserved = "reserved";

struct ShortName {
  std::string_view name, attribute;
};
constexpr std::array short_names{ShortName{"multiprocessors", "multiProcessorCount"},
                                 ShortName{"threads", "maxThreadsPerMultiProcessor"},
                                 ShortName{"blocks", "maxBlocksPerMultiProcessor"},
                                 ShortName{"registers", "regsPerMultiprocessor"},
                                 ShortName{"shared", "sharedMemPerMultiprocessor"},
                                 ShortName{"block_threads", "maxThreadsPerBlock"},
                                 ShortName{"block_shared", "sharedMemPerBlock"},
                                 ShortName{reserved, "reservedSharedMemPerBlock"},
                                 ShortName{"clock", "clockRate"},
                                 ShortName{"memory_clock", "memoryClockRate"},
                                 ShortName{"bus", "memoryBusWidth"}};

/// With thousands separators: "10,240", "1,153.92".
std::string written(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  std::size_t point = text.find('.');
  if (point + 1 == text.size()) text.pop_back();
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (point = std::min(point, text.size()); point > first + 3; point -= 3) text.insert(point - 3, ",");
  return text;
}

/// Writes every integer as a floating-point number, because integer division would round down.
std::string in_reals(std::string_view formula) {
  std::string reals;
  while (!formula.empty()) {
    const auto behind = std::find_if_not(formula.begin(), formula.end(), [](char c) { return gpu::is_word(c) || c == '.'; });
    const std::string_view word = formula.substr(0, std::max<std::size_t>(behind - formula.begin(), 1));
    reals += word;
    if (std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) reals += ".0";
    formula.remove_prefix(word.size());
  }
  return reals;
}

}  // namespace

DeviceFigures::DeviceFigures(const gpu::DeviceInfo& device) : name_(device.name) {
  for (const gpu::Attribute& attribute : device.attributes) known_.emplace(attribute.name, static_cast<double>(attribute.value));
  if (known_.empty()) return;  // no device is set
  if (const int units = gpu::arithmetic_units(device.compute_capability).float32; units > 0) known_.emplace(cores, units);
  for (const ShortName& each : short_names) {
    const auto told = known_.find(each.attribute);
    if (told != known_.end()) known_.emplace(each.name, told->second);
  }
  known_.emplace(reserved, 0);
}

DeviceFigures DeviceFigures::for_reading() {
  DeviceFigures figures;
  for (const gpu::AttributeRow& row : gpu::attribute_table()) figures.known_.emplace(row.name, 1);
  for (const ShortName& each : short_names) figures.known_.emplace(each.name, 1);
  figures.known_.emplace(cores, 1);
  return figures;
}

std::optional<double> DeviceFigures::value(std::string_view formula) const {
  gpu::SourceValues values;
  for (const auto& [name, figure] : known_) values.set(name, gpu::Value::real(figure));
  const std::string reals = in_reals(formula);
  const auto value = values.evaluate(gpu::tokens_of(reals));
  if (!value || value->kind == gpu::Value::Kind::shape || !std::isfinite(value->as_real())) return std::nullopt;
  return value->as_real();
}

std::string DeviceFigures::fill_in(std::string_view text) const {
  constexpr std::string_view begin = "{device:";
  std::string filled;
  for (;;) {
    const std::size_t open = text.find(begin), close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos) return filled.append(text);
    filled += text.substr(0, open);
    const std::string_view formula = text.substr(open + begin.size(), close - open - begin.size());
    const auto figure = value(formula);
    filled += formula == " name" ? (name_.empty() ? "the device" : name_) : figure ? written(*figure) : "–";
    text.remove_prefix(close + 1);
  }
}

}  // namespace warpbook::lessons
