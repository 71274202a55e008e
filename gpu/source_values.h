// Source values: what an expression of a source comes to, where constants, macros and simple functions decide it.
//
//     SourceValues values;
//     values.read(text);                                       // its macros and its functions of one return
//     values.set("n", Value::of(1000));
//     std::optional<Value> blocks = values.evaluate(tokens_of("(n + 255) / 256"));       // 4
//
// Whole numbers are 64 bits wide, all others are double; a dim3 is a value too. Nothing: something in it is not known, or it is
// more work than a source that somebody wrote for people asks for: macros that double at every level never end.
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
  [[nodiscard]] std::int64_t as_whole() const;  // the nearest that there is
  [[nodiscard]] bool truth() const { return kind == Kind::real ? reals != 0 : number != 0; }
};

class SourceValues {
 public:
  /// Its macros, and its functions whose body is one return. The text must outlive this object.
  void read(std::string_view text);
  void define(const std::string& name, const std::string& value);  // a macro

  void set(const std::string& name, std::optional<Value> value) { names_[name] = value; }
  [[nodiscard]] bool has(std::string_view name) const { return names_.find(name) != names_.end(); }
  [[nodiscard]] std::optional<Value> get(std::string_view name) const;
  [[nodiscard]] std::map<std::string, std::optional<Value>, std::less<>>& names() { return names_; }

  [[nodiscard]] std::optional<Value> evaluate(const Tokens& tokens) const;

  /// Asked for what is not known here: `h.size()`, sizeof of a variable. The words are joined().
  std::function<std::optional<Value>(const std::string& words)> ask;

 private:
  friend class Evaluation;
  struct Macro {
    std::vector<std::string> parameters;
    bool like_function = false;
    Tokens body;
  };
  /// A macro with parameters, or a function of one return.
  [[nodiscard]] const Macro* function_of(std::string_view name) const;

  std::map<std::string, Macro, std::less<>> macros_, functions_;
  std::map<std::string, std::string, std::less<>> types_;  // typedefs of numbers
  std::map<std::string, std::optional<Value>, std::less<>> names_;
  std::deque<std::string> texts_;  // what tokens of ours are views of
  mutable std::size_t begun_ = 0;  // expressions within the one that was asked for
};

/// Bytes of a number's or a vector's type, "unsigned int", "float4"; 8 for pointers.
[[nodiscard]] std::optional<std::int64_t> size_of_type(std::string_view type);

}  // namespace warpbook::gpu
