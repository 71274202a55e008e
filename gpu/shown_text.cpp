#include "gpu/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <variant>

#include "gpu/compiler.h"
#include "gpu/message.h"
#include "gpu/report.h"
#include "gpu/text.h"

namespace warpbook {
namespace {

constexpr std::string_view ellipsis = "…";
constexpr std::size_t longest_name = 60;   // of a name in a list
constexpr std::size_t longest_line = 160;  // of a source line
constexpr std::size_t before_column = 100;

std::uint32_t value_of(std::string_view character) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(character[at])); };
  if (character.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0x7fU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) value = value << 6 | (byte(i) & 0x3f);
  return value;
}

/// C1 controls, and characters that change the direction of the following letters ("Trojan Source", CVE-2021-42574).
bool is_control_beyond_ascii(std::uint32_t value) {
  return (value >= 0x80 && value < 0xa0) || (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
}

bool is_plain(char c) { return (c >= ' ' && c < '\x7f') || c == '\n' || c == '\t'; }

/// The first `count` characters.
std::string_view first_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += std::max<std::size_t>(character_at(text.substr(at)), 1);
  return text.substr(0, at);
}

/// The last `count` characters.
std::string_view last_of(std::string_view text, std::size_t count) {
  const std::size_t all = characters_in(text);
  return text.substr(first_of(text, all - std::min(all, count)).size());
}

/// Keeps the beginning and the end. If the text has words, none of them is cut.
std::string cut_in_the_middle(std::string_view text, std::size_t most, std::size_t at_end) {
  if (text.size() <= most || characters_in(text) <= most) return std::string(text);
  std::string_view head = first_of(text, most - at_end - 3), tail = last_of(text, at_end);
  const std::size_t blank = head.rfind(' '), next = tail.find(' ');
  const bool words =
      blank != std::string_view::npos && blank > head.size() / 2 && next != std::string_view::npos && next < tail.size() / 2;
  if (!words) return fmt::format("{}{}{}", head, ellipsis, tail);
  return fmt::format("{} {} {}", head.substr(0, blank), ellipsis, tail.substr(next + 1));
}

std::string with_short_words(std::string_view text) {
  constexpr std::size_t at_end = 50;
  std::string shorter;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t word = std::min(text.find_first_not_of(" \t\n", at), text.size());
    const std::size_t behind = std::min(text.find_first_of(" \t\n", word), text.size());
    shorter += text.substr(at, word - at);
    shorter += cut_in_the_middle(text.substr(word, behind - word), longest_word, at_end);
    at = behind;
  }
  return shorter;
}

/// The position after a full stop, a question mark, an exclamation mark or a newline.
std::size_t end_of_sentence(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') return at + 1;
    const bool ends = text[at] == '.' || text[at] == '?' || text[at] == '!';
    if (ends && at + 1 < text.size() && (text[at + 1] == ' ' || text[at + 1] == '\n')) return at + 1;
  }
  return text.size();
}

}  // namespace

std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xf0 && byte(0) < 0xf5   ? 4
                             : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                             : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                                                                 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues_character(text[i])) return 0;
  // Rejects overlong encodings, surrogates, and values beyond the last character.
  const std::uint32_t value = value_of(text.substr(0, length));
  const bool valid = length == 2 || (length == 3 && value >= 0x800 && (value < 0xd800 || value > 0xdfff)) ||
                     (length == 4 && value >= 0x10000 && value <= 0x10ffff);
  return valid ? length : 0;
}

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += std::max<std::size_t>(character_at(text.substr(at)), 1);
  return count;
}

std::string without_controls(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string shown;
  shown.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    const bool ends_line = character == "\r" && at + 1 < text.size() && text[at + 1] == '\n';
    at += character.size();
    if (length == 0 || (length == 1 && !is_plain(character[0]) && !ends_line))
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(character[0]));
    else if (length > 1 && is_control_beyond_ascii(value_of(character)))
      shown += fmt::format("\\u{:04x}", value_of(character));
    else
      shown += character;
  }
  return shown;
}

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most || characters_in(text) <= most) return std::string(text);
  return std::string(first_of(text, most - 1)) + std::string(ellipsis);
}

std::string listed(const std::vector<std::string>& all, std::size_t most, std::string_view between) {
  std::string list;
  const std::size_t named = all.size() <= most + 1 ? all.size() : most;  // "and 1 more" would be as long as the name itself
  for (std::size_t i = 0; i < named; ++i) list += fmt::format("{}{}", i == 0 ? "" : between, cut(all[i], longest_name));
  if (named < all.size()) list += fmt::format(" and {} more", all.size() - named);
  return list;
}

std::string in_sentences(std::string_view message) {
  constexpr std::size_t at_end = 120;
  const std::string plain = without_controls(message);
  if (plain.size() <= longest_word) return plain;
  const std::string words = with_short_words(plain);
  std::string shown;
  for (std::string_view rest = words; !rest.empty();) {
    const std::size_t end = end_of_sentence(rest);
    shown += cut_in_the_middle(rest.substr(0, end), longest_sentence, at_end);
    rest.remove_prefix(end);
  }
  return shown;
}

void put_in_sentences(Message& message) {
  for (Message::Value& each : message.values)
    if (auto* const text = std::get_if<std::string>(&each.value)) *text = in_sentences(*text);
}

void put_in_sentences(gpu::LaunchReport& report) {
  for (Message& message : report.message.sentences) put_in_sentences(message);
  for (gpu::Finding& finding : report.findings)
    for (Message& message : finding.message.sentences) put_in_sentences(message);
  for (Message& remark : report.remarks) put_in_sentences(remark);
  for (gpu::UnfilledVariable& unfilled : report.unfilled) unfilled.sentence = in_sentences(unfilled.sentence);
}

void put_in_sentences(gpu::CompileFailure& failure) {
  failure.message = in_sentences(failure.message);
  for (gpu::Diagnostic& diagnostic : failure.diagnostics) diagnostic.message = in_sentences(diagnostic.message);
}

ShownLine shown_line(std::string_view line, std::size_t column) {
  if (column > line.size() + 1) column = 0;
  while (column > 1 && column <= line.size() && continues_character(line[column - 1])) --column;
  std::string_view before = column > 0 ? line.substr(0, column - 1) : std::string_view(), behind = line.substr(before.size());
  std::string head, tail;
  if (line.size() > longest_line) {
    if (characters_in(before) > before_column) {
      before = last_of(before, before_column);
      head = ellipsis;
    }
    const std::size_t room = longest_line - std::min(longest_line - 20, characters_in(before));
    if (const std::string_view kept = first_of(behind, room); kept.size() < behind.size()) {
      behind = kept;
      tail = ellipsis;
    }
  }
  head += without_controls(before);
  ShownLine shown{.text = head + without_controls(behind) + tail, .before_caret = {}};
  if (column == 0) return shown;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t length = std::max<std::size_t>(character_at(std::string_view(head).substr(at)), 1);
    shown.before_caret += head[at] == '\t' ? '\t' : ' ';  // tabs are kept, so that the caret is right for every tab width
    at += length;
  }
  return shown;
}

}  // namespace warpbook
