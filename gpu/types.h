// The basic value types: launch shapes, element types, arrays and scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {

/// CUDA's dim3: a shape or an index; x varies fastest.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// Element types of buffers and scalar arguments; the names are NumPy's ("int32", "float32" …).
enum class ScalarType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

[[nodiscard]] std::size_t size_of(ScalarType type);  // bytes
[[nodiscard]] std::string_view name_of(ScalarType type);
[[nodiscard]] std::optional<ScalarType> scalar_type(std::string_view name);

template <class T>
[[nodiscard]] constexpr ScalarType scalar_type_of();
template <> constexpr ScalarType scalar_type_of<std::int8_t>() { return ScalarType::int8; }
template <> constexpr ScalarType scalar_type_of<std::uint8_t>() { return ScalarType::uint8; }
template <> constexpr ScalarType scalar_type_of<std::int16_t>() { return ScalarType::int16; }
template <> constexpr ScalarType scalar_type_of<std::uint16_t>() { return ScalarType::uint16; }
template <> constexpr ScalarType scalar_type_of<std::int32_t>() { return ScalarType::int32; }
template <> constexpr ScalarType scalar_type_of<std::uint32_t>() { return ScalarType::uint32; }
template <> constexpr ScalarType scalar_type_of<std::int64_t>() { return ScalarType::int64; }
template <> constexpr ScalarType scalar_type_of<std::uint64_t>() { return ScalarType::uint64; }
template <> constexpr ScalarType scalar_type_of<float>() { return ScalarType::float32; }
template <> constexpr ScalarType scalar_type_of<double>() { return ScalarType::float64; }

/// The description of a buffer: its name for messages, its element type and its shape (slowest dimension first, as in NumPy).
struct Array {
  std::string name;
  ScalarType type = ScalarType::int32;
  std::vector<std::size_t> shape;

  [[nodiscard]] std::size_t count() const {
    std::size_t n = 1;
    for (const std::size_t extent : shape) n *= extent;
    return n;
  }
  [[nodiscard]] std::size_t bytes() const { return count() * size_of(type); }
};

/// A scalar kernel argument: its type and its bits.
struct Scalar {
  ScalarType type = ScalarType::int32;
  std::uint64_t bits = 0;  // only the low size_of(type) bytes count

  template <class T>
  [[nodiscard]] static Scalar of(T value) {
    Scalar scalar{scalar_type_of<T>(), 0};
    std::memcpy(&scalar.bits, &value, sizeof value);
    return scalar;
  }
};

}  // namespace warpbook::gpu
