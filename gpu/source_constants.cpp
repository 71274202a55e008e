// The constants of a source: their text, and their value as an integer (source_expressions.h).
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gpu/source_expressions.h"
#include "gpu/source_tokens.h"

namespace warpbook::gpu {
namespace {

/// Names for constant expressions: no variables.
class ConstantNames : public ExpressionNames {
 public:
  ConstantNames(std::string_view source, Defines defines, int depth) : source_(source), defines_(defines), depth_(depth) {}
  [[nodiscard]] std::optional<LaneValues> named(std::string_view name) const override {
    const std::string text = depth_ > 16 ? std::string() : constant_text(name, source_, defines_);
    if (text.empty()) return std::nullopt;
    return evaluate(text, ConstantNames(source_, defines_, depth_ + 1));
  }
  [[nodiscard]] std::optional<LaneValues> member(const LaneValues&, std::string_view) const override { return std::nullopt; }
  [[nodiscard]] LaneValues at(const DebugType& type, const LaneValues& where) const override {
    LaneValues none = where;
    none.type = &type;
    none.states.fill(ValueState::not_recorded);
    return none;
  }
  [[nodiscard]] const DebugType& type(std::uint32_t) const override { return number_type(DebugType::Kind::signed_integer, 4); }

 private:
  std::string_view source_;
  Defines defines_;
  int depth_;
};

}  // namespace

std::string constant_text(std::string_view name, std::string_view source, Defines defines) {
  for (const auto& [defined, value] : defines)
    if (defined == name) return value;
  std::string found;
  const auto note = [&](std::string text) {
    if (!found.empty() && found != text) return false;
    found = std::move(text);
    return true;
  };
  // #define NAME expression
  for (std::size_t at = source.find("#"); at != source.npos; at = source.find("#", at + 1)) {
    std::string_view line = source.substr(at + 1, source.find('\n', at) - at - 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("define")) continue;
    line.remove_prefix(std::string_view("define").size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(name) || line.size() == name.size() || (line[name.size()] != ' ' && line[name.size()] != '\t')) continue;
    if (!note(joined(tokens_of(line.substr(name.size()))))) return {};
  }
  // const int NAME = expression;
  const Tokens tokens = tokens_of(source);
  for (std::size_t t = 2; t + 2 < tokens.size(); ++t) {
    if (tokens[t] != name || tokens[t + 1] != "=" || tokens[t + 2] == "=") continue;
    bool constant = false;
    for (std::size_t back = t; back-- > 0 && t - back < 8 && word(tokens[back]);)
      constant |= one_of(tokens[back], {"const", "constexpr"});
    if (!constant) continue;
    std::size_t end = t + 2;
    while (end < tokens.size() && tokens[end] != ";" && tokens[end] != ",") ++end;
    if (!note(
            joined(Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(t + 2), tokens.begin() + static_cast<std::ptrdiff_t>(end)))))
      return {};
  }
  return found;
}

std::optional<std::int64_t> constant_value(std::string_view expression, std::string_view source, Defines defines) {
  const auto value = evaluate(expression, ConstantNames(source, defines, 0));
  if (!value || !is_whole_number(*value->type) || value->states[0] != ValueState::known) return std::nullopt;
  return whole_number(*value->type, value->bits[0]);
}

}  // namespace warpbook::gpu
