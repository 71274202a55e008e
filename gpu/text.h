// Small things done to text everywhere.
//
//     trimmed("  a b \n") == "a b"
//     lowered("Warp") == "warp"
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace warpbook {

/// Without the blanks and line ends around it: a part of the text that is given.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t from = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(from, text.find_last_not_of(blanks) + 1 - from);  // npos + 1 = 0, where there is nothing but blanks
}

/// ASCII alone: UTF-8 stays whole.
[[nodiscard]] inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// A byte of UTF-8 that is not a character's first.
[[nodiscard]] constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace warpbook
