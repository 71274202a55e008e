#include "gpu/host_statement.h"

#include <algorithm>

#include "gpu/kernel_signatures.h"

namespace warpbook::gpu {

std::string_view name_in(const Tokens& declarator) {
  std::string_view name;
  for (const std::string_view token : declarator) {
    if (one_of(token, {"=", "[", "(", "{"})) break;
    if (word(token)) name = token;
  }
  return name;
}

std::size_t behind_name(const Tokens& tokens) {
  std::size_t k = 0;
  int angles = 0;
  for (; k < tokens.size(); ++k) {
    angles += tokens[k] == "<" ? 1 : tokens[k] == ">" ? -1 : 0;
    if (angles == 0 && one_of(tokens[k], {"=", "(", "[", "{"})) break;
  }
  return k;
}

std::string path_at(const Tokens& tokens, std::size_t& i) {
  if (!word(tokens[i])) return {};
  std::string path(tokens[i]);
  for (;;) {
    const bool dot = i + 2 < tokens.size() && tokens[i + 1] == ".";
    const bool arrow = i + 3 < tokens.size() && tokens[i + 1] == "-" && tokens[i + 2] == ">";
    const std::size_t field = i + (dot ? 2 : 3);
    if (!(dot || arrow) || !word(tokens[field]) || (field + 1 < tokens.size() && tokens[field + 1] == "(")) return path;
    path += "." + std::string(tokens[field]);
    i = field;
  }
}

std::string variable_given(const Tokens& argument) {
  std::size_t at = argument.size() > 1 && argument[0] == "&" ? 1 : 0;
  std::string name = at < argument.size() ? path_at(argument, at) : std::string();
  return at + 1 == argument.size() ? name : std::string();
}

std::vector<Tokens> split_arguments(const Tokens& tokens) {
  std::vector<Tokens> parts;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (parts.empty() || (token == "," && depth == 0)) parts.emplace_back();
    if (token == "," && depth == 0) continue;
    const bool twice = i + 1 < tokens.size() && tokens[i + 1] == token && token.data() + 1 == tokens[i + 1].data();
    if (twice && one_of(token, {"<", ">"}) && (token == "<" || depth == 0)) {  // a shift
      parts.back().insert(parts.back().end(), {token, tokens[++i]});
      continue;
    }
    depth += one_of(token, {"(", "[", "{", "<"}) ? 1 : one_of(token, {")", "]", "}", ">"}) && depth > 0 ? -1 : 0;
    parts.back().push_back(token);
  }
  return parts;
}

Tokens braces_as_brackets(Tokens tokens) {
  for (std::string_view& token : tokens) token = token == "{" ? "(" : token == "}" ? ")" : token;
  return tokens;
}

bool is_whole_type(const std::string& type) {
  const auto element = element_type(type);
  return element && *element != ScalarType::float32 && *element != ScalarType::float64;
}

bool points(const Tokens& tokens) {
  const bool of_an_element = std::find(tokens.begin(), tokens.end(), "[") != tokens.end() && tokens.front() != "&";
  return !of_an_element && std::find(tokens.begin(), tokens.end(), "sizeof") == tokens.end();
}

}  // namespace warpbook::gpu
