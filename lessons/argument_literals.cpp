#include "lessons/argument_literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/launch_check.h"
#include "gpu/source_tokens.h"

namespace warpbook::lessons {
namespace {

template <class T>
T bits_as(const gpu::Scalar& scalar) {
  T value;
  std::memcpy(&value, &scalar.bits, sizeof value);
  return value;
}

/// The members from offset `at` on, as an initialiser: "{16, 16, `A.elements`}".
std::string initialiser(const std::vector<gpu::Parameter>& members, const gpu::Struct& value, std::size_t at) {
  const std::vector<gpu::ParameterSlot> slots = gpu::parameter_slots(members);
  std::string text;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t offset = at + slots[i].offset;
    if (i > 0) text += ", ";
    if (members[i].pointer) {
      const auto pointer = std::find_if(value.pointers.begin(), value.pointers.end(),
                                        [&](const gpu::Struct::Pointer& each) { return each.offset == offset; });
      text += pointer == value.pointers.end() ? "nullptr" : "`" + pointer->buffer.array.name + "`";
    } else if (members[i].element) {
      gpu::Scalar scalar{.type = *members[i].element, .bits = 0};
      std::memcpy(&scalar.bits, value.bytes.data() + offset, slots[i].size);
      text += literal(scalar);
    } else {
      text += initialiser(members[i].members, value, offset);
    }
  }
  return "{" + text + "}";
}

}  // namespace

std::string literal(const gpu::Scalar& scalar) {
  using gpu::ScalarType;
  // Always with a decimal point, to show that it is not an integer, and with the shortest digits that read back as the same value.
  const auto real = [](auto value, const char* suffix) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text + suffix;
  };
  switch (scalar.type) {
    case ScalarType::int8:
      return fmt::format("{}", static_cast<int>(bits_as<std::int8_t>(scalar)));
    case ScalarType::uint8:
      return fmt::format("{}", static_cast<int>(bits_as<std::uint8_t>(scalar)));
    case ScalarType::int16:
      return fmt::format("{}", bits_as<std::int16_t>(scalar));
    case ScalarType::uint16:
      return fmt::format("{}", bits_as<std::uint16_t>(scalar));
    case ScalarType::int32:
      return fmt::format("{}", bits_as<std::int32_t>(scalar));
    case ScalarType::uint32:
      return fmt::format("{}u", bits_as<std::uint32_t>(scalar));
    case ScalarType::int64:
      return fmt::format("{}LL", bits_as<std::int64_t>(scalar));
    case ScalarType::uint64:
      return fmt::format("{}ULL", bits_as<std::uint64_t>(scalar));
    case ScalarType::float32:
      return real(bits_as<float>(scalar), "f");
    case ScalarType::float64:
      return real(bits_as<double>(scalar), "");
  }
  return {};
}

std::string written(const gpu::Argument& argument, const gpu::Parameter& parameter) {
  if (const auto* scalar = std::get_if<gpu::Scalar>(&argument)) return literal(*scalar);
  if (const auto* buffer = std::get_if<gpu::Buffer>(&argument)) {
    if (!parameter.pointee) return buffer->array.name;
    gpu::Tokens type = gpu::tokens_of(parameter.type);
    std::erase_if(type, [](std::string_view word) { return word.starts_with("__restrict"); });
    return fmt::format("reinterpret_cast<{}>(`{}`)", gpu::joined(type), buffer->array.name);
  }
  const auto& value = std::get<gpu::Struct>(argument);
  if (parameter.members.empty() || value.bytes.size() != parameter.size) return {};
  gpu::Tokens type = gpu::tokens_of(parameter.type);
  std::erase_if(type, gpu::qualifier);
  return gpu::joined(type) + initialiser(parameter.members, value, 0);
}

}  // namespace warpbook::lessons
