// Source expressions: CUDA C++ expressions without side effects, evaluated in 32 lanes at once.
//
//     struct Mine : ExpressionNames { … };                 // what names stand for, and where pointers lead
//     std::optional<LaneValues> sum = evaluate("a[i + 1] * 2", names);
//     std::optional<std::int64_t> extent = constant_value("TILE + 1", "#define TILE 16\n…", {});   // 17
//     expressions_of("out[i] = a[i] + b[i];")              // "out[i]", "a[i]", "b[i]"
//
// Read are names, integer and floating literals, parentheses, [] . -> * & and the arithmetic of C++, with its conversions between
// numbers. Calls, casts, assignments and ?: are not read: an expression that holds one has no value here.
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
  not_computed,  // nothing has been stored there yet
  out_of_scope,  // the lane stands outside of the block that declares it
  not_kept,      // the compiler keeps it in no register and in no memory at this point
  not_recorded,  // it lies in no array whose contents were kept
  outside        // it would lie where there is no array, or a number is divided by zero
};

/// A value in each lane: a number, or a place in memory where a struct or an array begins.
struct LaneValues {
  const DebugType* type = nullptr;
  std::array<ValueState, 32> states{};
  std::array<std::uint64_t, 32> bits{};       // of numbers and pointers
  std::array<std::uint64_t, 32> addresses{};  // generic, where in_memory
  bool in_memory = false;
  std::shared_ptr<const DebugType> made = {};  // holds `type` where the debug information has no such: a row of an array of arrays
};

/// The types of literals and of arithmetic's results.
[[nodiscard]] const DebugType& number_type(DebugType::Kind kind, std::uint64_t bytes);
/// The same number in each lane.
[[nodiscard]] LaneValues same_in_all(const DebugType& type, std::uint64_t bits);

class ExpressionNames {
 public:
  virtual ~ExpressionNames() = default;
  /// Empty: the name is not known.
  [[nodiscard]] virtual std::optional<LaneValues> named(std::string_view name) const = 0;
  /// The member of that name; empty: there is none.
  [[nodiscard]] virtual std::optional<LaneValues> member(const LaneValues& of, std::string_view name) const = 0;
  /// What lies at `addresses`; the type is not changed by it.
  [[nodiscard]] virtual LaneValues at(const DebugType& type, const LaneValues& addresses) const = 0;
  [[nodiscard]] virtual const DebugType& type(std::uint32_t index) const = 0;
};

/// What one index leads to, from an array or a pointer. Empty: it is neither, or `index` is no whole number.
[[nodiscard]] std::optional<LaneValues> element_of(const LaneValues& of, const LaneValues& index, const ExpressionNames& names);

/// A whole number's or a floating number's value out of its bits, with its sign.
[[nodiscard]] std::int64_t whole_number(const DebugType& type, std::uint64_t bits);
[[nodiscard]] double floating_number(const DebugType& type, std::uint64_t bits);

/// Empty: it is no expression, or it holds something that is not read here.
[[nodiscard]] std::optional<LaneValues> evaluate(std::string_view expression, const ExpressionNames& names);

using Defines = std::span<const std::pair<std::string, std::string>>;

/// What a name in the source stands for, where the text says it plainly: `#define NAME expression`, `const int NAME = expression;`
/// with constexpr and static or without, and -D options. Empty: it is not told, or told twice in different words.
[[nodiscard]] std::string constant_text(std::string_view name, std::string_view source, Defines defines);
/// Empty: no integer constant that can be read here.
[[nodiscard]] std::optional<std::int64_t> constant_value(std::string_view expression, std::string_view source, Defines defines);

/// The expressions with an index, a member or a pointer's target that stand in a line of the source, in their order, each once;
/// those within an index too.
[[nodiscard]] std::vector<std::string> expressions_of(std::string_view line);
/// The names that stand in it by themselves: no member's, no call's.
[[nodiscard]] std::vector<std::string> names_of(std::string_view line);

}  // namespace warpbook::gpu
