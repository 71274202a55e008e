// Source values: evaluates expressions of a source whose value follows from constants, macros and simple functions.
//
//     SourceValues values;
//     values.read(text);                                       // reads its macros and its one-line functions
//     values.set("n", Value::of(1000));
//     std::optional<Value> blocks = values.evaluate(tokens_of("(n + 255) / 256"));       // 4
//
// Integers are 64 bits wide and other numbers are double; a dim3 is a value too. The result is empty if a part of the expression is
// unknown, or if the work exceeds a limit: macros that double at every level would never end.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/source_tokens.h"
#include "gpu/types.h"

namespace warpbook::gpu {

struct Value {
  enum class Kind : std::uint8_t { whole, real, shape };
  Kind kind = Kind::whole;
  std::int64_t number = 0;
  double reals = 0;
  Dim3 dim;

  [[nodiscard]] static Value of(std::int64_t number) { return {.kind = Kind::whole, .number = number, .reals = 0, .dim = {}}; }
  [[nodiscard]] static Value real(double value) { return {.kind = Kind::real, .number = 0, .reals = value, .dim = {}}; }
  [[nodiscard]] static Value shape(Dim3 dim) { return {.kind = Kind::shape, .number = 0, .reals = 0, .dim = dim}; }
  [[nodiscard]] double as_real() const { return kind == Kind::real ? reals : static_cast<double>(number); }
  [[nodiscard]] std::int64_t as_whole() const;  // rounded to the nearest integer
  [[nodiscard]] bool truth() const { return kind == Kind::real ? reals != 0 : number != 0; }
};

class SourceValues {
 public:
  /// Reads macros, and functions whose body is a single return. The text must outlive this object.
  void read(std::string_view text);
  void define(const std::string& name, const std::string& value);  // a macro from the command line

  void set(const std::string& name, std::optional<Value> value) { names_[name] = value; }
  [[nodiscard]] bool has(std::string_view name) const { return names_.find(name) != names_.end(); }
  [[nodiscard]] std::optional<Value> get(std::string_view name) const;
  [[nodiscard]] std::map<std::string, std::optional<Value>, std::less<>>& names() { return names_; }

  [[nodiscard]] std::optional<Value> evaluate(const Tokens& tokens) const;

  /// Called for what is unknown here, such as `h.size()` or sizeof of a variable. `words` are joined tokens.
  std::function<std::optional<Value>(const std::string& words)> ask;

 private:
  friend class Evaluation;
  struct Macro {
    std::vector<std::string> parameters;
    bool like_function = false;
    Tokens body;
  };
  /// A macro with parameters, or a function whose body is a single return.
  [[nodiscard]] const Macro* function_of(std::string_view name) const;

  std::map<std::string, Macro, std::less<>> macros_, functions_;
  std::map<std::string, std::string, std::less<>> types_;  // typedefs of numbers
  std::map<std::string, std::optional<Value>, std::less<>> names_;
  std::deque<std::string> texts_;  // owns the text of tokens that are not part of the source
  mutable std::size_t begun_ = 0;  // evaluations under way, nested in the one that was asked for
};

/// The size in bytes of a number's or a vector's type ("unsigned int", "float4"); 8 for pointers.
[[nodiscard]] std::optional<std::int64_t> size_of_type(std::string_view type);

}  // namespace warpbook::gpu
