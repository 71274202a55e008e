// Source expressions: evaluates CUDA C++ expressions without side effects, in 32 lanes at once.
//
//     struct Mine : ExpressionNames { … };                 // what names stand for, and where pointers lead
//     std::optional<LaneValues> sum = evaluate("a[i + 1] * 2", names);
//     std::optional<std::int64_t> extent = constant_value("TILE + 1", "#define TILE 16\n…", {});   // 17
//     expressions_of("out[i] = a[i] + b[i];")              // "out[i]", "a[i]", "b[i]"
//
// Supported are names, integer and floating-point literals, parentheses, [] . -> * & and C++'s arithmetic with its conversions
// between numbers. An expression with a call, a cast, an assignment or ?: has no value here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/debug_info.h"

namespace warpbook::gpu {

enum class ValueState : std::uint8_t {
  known,
  not_computed,  // nothing has been stored in it yet
  out_of_scope,  // the lane is outside of the block that declares it
  not_kept,      // at this point, the compiler keeps it neither in a register nor in memory
  not_recorded,  // in an array whose contents were not recorded
  outside        // outside of every array, or the result of a division by zero
};

/// A value in each lane: a number, a pointer, or the address of a struct or an array in memory.
struct LaneValues {
  const DebugType* type = nullptr;
  std::array<ValueState, 32> states{};
  std::array<std::uint64_t, 32> bits{};       // of numbers and pointers
  std::array<std::uint64_t, 32> addresses{};  // generic addresses; valid if in_memory
  bool in_memory = false;
  std::shared_ptr<const DebugType> made = {};  // owns `type` if the debug information has no such type: a row of an array of arrays
};

/// A type for literals and results of arithmetic.
[[nodiscard]] const DebugType& number_type(DebugType::Kind kind, std::uint64_t bytes);
/// The same number in each lane.
[[nodiscard]] LaneValues same_in_all(const DebugType& type, std::uint64_t bits);

class ExpressionNames {
 public:
  virtual ~ExpressionNames() = default;
  /// The value of a variable. Empty: there is no such name.
  [[nodiscard]] virtual std::optional<LaneValues> named(std::string_view name) const = 0;
  /// The value of a member. Empty: there is no such member.
  [[nodiscard]] virtual std::optional<LaneValues> member(const LaneValues& of, std::string_view name) const = 0;
  /// The value in memory at `addresses`, with the given type.
  [[nodiscard]] virtual LaneValues at(const DebugType& type, const LaneValues& addresses) const = 0;
  [[nodiscard]] virtual const DebugType& type(std::uint32_t index) const = 0;
};

/// The value of one index into an array or a pointer. Empty: `of` is neither, or `index` is not an integer.
[[nodiscard]] std::optional<LaneValues> element_of(const LaneValues& of, const LaneValues& index, const ExpressionNames& names);

/// Whether it is an integer type, a character, bool or an enumeration.
[[nodiscard]] bool is_whole_number(const DebugType& type);
/// Converts the bits of an integer or of a floating-point number to its value, by the type's size and sign.
[[nodiscard]] std::int64_t whole_number(const DebugType& type, std::uint64_t bits);
[[nodiscard]] double floating_number(const DebugType& type, std::uint64_t bits);

/// Empty: it is not an expression, or it uses something that is not supported.
[[nodiscard]] std::optional<LaneValues> evaluate(std::string_view expression, const ExpressionNames& names);

using Defines = std::span<const std::pair<std::string, std::string>>;

/// The text of a constant: from `#define NAME expression`, from `const int NAME = expression;` (also constexpr or static), or from
/// a -D option. Empty: there is no such definition, or there are several different ones.
[[nodiscard]] std::string constant_text(std::string_view name, std::string_view source, Defines defines);
/// Empty: it is not an integer constant that can be evaluated here.
[[nodiscard]] std::optional<std::int64_t> constant_value(std::string_view expression, std::string_view source, Defines defines);

/// The expressions of a source line with an index, a member or a dereferenced pointer, in their order and each once. Expressions
/// inside an index are included.
[[nodiscard]] std::vector<std::string> expressions_of(std::string_view line);
/// The names in an expression that are not members or called functions.
[[nodiscard]] std::vector<std::string> names_of(std::string_view line);

}  // namespace warpbook::gpu
