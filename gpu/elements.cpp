#include "gpu/elements.h"

#include <fmt/format.h>

#include <cassert>

namespace warpbook::gpu {
namespace {

/// Calls f with the element as a value of its own type.
template <class F>
auto with_element(ScalarType type, std::span<const std::byte> bytes, std::size_t index, F&& f) {
  assert((index + 1) * size_of(type) <= bytes.size());
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return f(value);
  };
  switch (type) {
    case ScalarType::int8:
      return as(std::int8_t{});
    case ScalarType::uint8:
      return as(std::uint8_t{});
    case ScalarType::int16:
      return as(std::int16_t{});
    case ScalarType::uint16:
      return as(std::uint16_t{});
    case ScalarType::int32:
      return as(std::int32_t{});
    case ScalarType::uint32:
      return as(std::uint32_t{});
    case ScalarType::int64:
      return as(std::int64_t{});
    case ScalarType::uint64:
      return as(std::uint64_t{});
    case ScalarType::float32:
      return as(float{});
    case ScalarType::float64:
      break;
  }
  return as(double{});
}

}  // namespace

double element_value(ScalarType type, std::span<const std::byte> bytes, std::size_t index) {
  return with_element(type, bytes, index, [](auto value) { return static_cast<double>(value); });
}

std::string element_text(ScalarType type, std::span<const std::byte> bytes, std::size_t index) {
  // The plus sign turns an int8_t into an int, so that it is not printed as a character.
  return with_element(type, bytes, index, [](auto value) { return fmt::format("{}", +value); });
}

}  // namespace warpbook::gpu
