// Small helpers for text.
//
//     trimmed("  a b \n") == "a b"
//     lowered("Warp") == "warp"
//     with_commas(16384) == "16,384"
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpbook {

/// Without blanks and line ends at both ends. The result is a view of `text`.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t from = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(from, text.find_last_not_of(blanks) + 1 - from);  // npos + 1 = 0 if there are only blanks
}

/// Changes ASCII letters only, so that UTF-8 stays valid.
[[nodiscard]] inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// With thousands separators, as pages have them.
[[nodiscard]] inline std::string with_commas(std::int64_t value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
  return value < 0 ? "−" + digits : digits;
}

/// Whether this is a continuation byte of UTF-8.
[[nodiscard]] constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace warpbook
