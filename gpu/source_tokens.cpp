#include "gpu/source_tokens.h"

#include <algorithm>
#include <cctype>

namespace warpbook::gpu {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      line_start = true;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '#' && line_start) {
      while (i < text.size() && text[i] != '\n') i += text.substr(i, 2) == "\\\n" ? 2 : text.substr(i, 3) == "\\\r\n" ? 3 : 1;
    } else if (c == 'R' && text.substr(i, 2) == "R\"" && (i == 0 || !is_word(text[i - 1]))) {
      const std::size_t open = std::min(text.find('(', i), text.size());
      const std::string close = ")" + std::string(text.substr(i + 2, open - std::min(i + 2, open))) + "\"";
      const std::size_t end = text.find(close, open);
      tokens.push_back("\"\"");
      i = end == std::string_view::npos ? text.size() : end + close.size();
      line_start = false;
    } else if (c == '"' || c == '\'') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      tokens.push_back(c == '"' ? "\"\"" : "''");
      i = std::min(end + 1, text.size());
      line_start = false;
    } else {
      std::size_t end = i + 1;
      if (is_word(c))
        while (end < text.size() && is_word(text[end])) ++end;
      else if (text.substr(i, 2) == "::")
        end = i + 2;
      tokens.push_back(text.substr(i, end - i));
      i = end;
      line_start = false;
    }
  }
  return tokens;
}

bool word(std::string_view token) { return is_word(token.front()) && std::isdigit(static_cast<unsigned char>(token.front())) == 0; }

Tokens part_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  end = std::min(end, tokens.size());
  if (begin >= end) return {};
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::size_t behind_bracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i] == "(" || tokens[i] == "[" || tokens[i] == "{") ++depth;
    if ((tokens[i] == ")" || tokens[i] == "]" || tokens[i] == "}") && --depth == 0) return i + 1;
  }
  return tokens.size();
}

std::vector<std::size_t> behind_brackets(const Tokens& tokens) {
  std::vector<std::size_t> behind(tokens.size()), open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (one_of(tokens[i], {"(", "[", "{"})) {
      behind[i] = tokens.size();
      open.push_back(i);
    } else if (one_of(tokens[i], {")", "]", "}"}) && !open.empty()) {
      behind[open.back()] = i + 1;
      open.pop_back();
    }
  }
  return behind;
}

std::vector<Tokens> split_at_commas(const Tokens& tokens) {
  std::vector<Tokens> parts(1);
  int depth = 0;
  for (const std::string_view token : tokens) {
    if (token == "(" || token == "[" || token == "{" || token == "<") ++depth;
    if (token == ")" || token == "]" || token == "}" || token == ">") --depth;
    if (token == "," && depth == 0)
      parts.emplace_back();
    else
      parts.back().push_back(token);
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

bool one_of(std::string_view token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token) != words.end();
}

bool qualifier(std::string_view token) {
  return one_of(token, {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "struct", "class",
                        "enum", "typename"});
}
bool fundamental(std::string_view token) {
  return one_of(token, {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto", "wchar_t",
                        "char8_t", "char16_t", "char32_t"});
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string_view token : tokens) {
    if (!text.empty() && word(token) &&
        (is_word(text.back()) || one_of(std::string_view(text).substr(text.size() - 1), {"*", "&", ">", ","})))
      text += ' ';
    text += token;
    if (token == ",") text += ' ';
  }
  return text;
}

}  // namespace warpbook::gpu
