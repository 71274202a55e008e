#include "app/commands/launch_brackets.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>

#include "gpu/clang/clang.h"
#include "gpu/input_file.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_source = std::uintmax_t{16} << 20;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Span {
  std::size_t begin = 0, end = 0;
};

/// Goes over a source's tokens as far as brackets need it: comments, texts and characters are passed over.
class BracketReader {
 public:
  explicit BracketReader(std::string_view text) : text_(text) {}

  /// The brackets that begin and end launches and are written with blanks.
  std::vector<Span> parted() {
    while (at_ < text_.size()) {
      if (passes_over()) continue;
      const Span open = three('<');
      if (open.end == 0) {
        ++at_;
        continue;
      }
      at_ = open.end;
      if (const Span close = end_of_launch(); close.end != 0) {
        keep(open);
        keep(close);
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] char next(std::size_t more = 0) const { return at_ + more < text_.size() ? text_[at_ + more] : '\0'; }
  [[nodiscard]] bool begins(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  void go_behind(std::string_view what) { at_ = std::min(text_.find(what, at_), text_.size() - what.size()) + what.size(); }

  void keep(const Span& brackets) {
    if (brackets.end - brackets.begin > 3) found_.push_back(brackets);
  }

  /// Three of these brackets, with blanks between them or not; else an empty span.
  [[nodiscard]] Span three(char bracket) const {
    std::size_t at = at_;
    for (int count = 0; count < 3; ++count, ++at) {
      while (count > 0 && at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
      if (at >= text_.size() || text_[at] != bracket) return {};
    }
    return {at_, at};
  }

  /// From behind the brackets that begin a launch. A statement that ends before them was no launch.
  Span end_of_launch() {
    int depth = 0;
    while (at_ < text_.size()) {
      if (passes_over()) continue;
      const char c = next();
      if (depth == 0) {
        if (const Span close = three('>'); close.end != 0) {
          at_ = close.end;
          return close;
        }
        if (c == ';') return {};
      }
      if (c == '(' || c == '{' || c == '[') ++depth;
      if (c == ')' || c == '}' || c == ']') --depth;
      if (depth < 0) return {};
      ++at_;
    }
    return {};
  }

  /// True: a word, a comment, a text or a character stood here.
  bool passes_over() {
    const std::size_t before = at_;
    if (begins("//")) {
      go_behind("\n");
    } else if (begins("/*")) {
      at_ += 2;
      go_behind("*/");
    } else if (begins("R\"")) {
      const std::size_t open = text_.find('(', at_);
      if (open == std::string_view::npos) return at_ = text_.size(), true;
      go_behind(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"");
    } else if (next() == '"' || next() == '\'') {
      go_behind_quotes(next());
    } else if (std::isdigit(static_cast<unsigned char>(next())) != 0) {
      // 1'000'000: no character begins here.
      while (in_word(next()) || next() == '.' || (next() == '\'' && in_word(next(1)))) ++at_;
    } else if (in_word(next())) {
      while (in_word(next())) ++at_;
    }
    return at_ != before;
  }

  void go_behind_quotes(char quote) {
    for (++at_; at_ < text_.size() && next() != quote && next() != '\n'; ++at_)
      if (next() == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Span> found_;
};

/// The names in #include "heat.cuh".
std::vector<std::string> included_in_quotes(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("include"); at != std::string_view::npos; at = text.find("include", at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t open = line.find('"'), close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close != std::string_view::npos) names.emplace_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

}  // namespace

std::optional<std::string> with_joined_brackets(std::string_view source) {
  const std::vector<Span> parted = BracketReader(source).parted();
  if (parted.empty()) return std::nullopt;
  std::string text(source);
  for (const Span& brackets : parted) {
    const char bracket = text[brackets.begin];
    for (std::size_t at = brackets.begin; at < brackets.end; ++at) text[at] = at < brackets.begin + 3 ? bracket : ' ';
  }
  return text;
}

std::vector<Replacement> texts_for_clang(const std::string& source, const std::vector<std::string>& folders) {
  std::vector<Replacement> replaced;
  std::vector<fs::path> to_read{fs::absolute(source).lexically_normal()};
  std::set<fs::path> seen{to_read.front()};
  while (!to_read.empty()) {
    const fs::path file = to_read.back();
    to_read.pop_back();
    const auto text = read_input(file, longest_source);
    if (!text) continue;  // clang says what is wrong with it
    const std::string as_clang_reads = gpu::with_alignment_anywhere(with_joined_brackets(*text).value_or(*text));
    if (as_clang_reads != *text) replaced.push_back({file.string(), as_clang_reads});
    for (const std::string& name : included_in_quotes(*text)) {
      std::vector<fs::path> places{file.parent_path() / name};
      for (const std::string& folder : folders) places.push_back(fs::absolute(folder) / name);
      for (const fs::path& place : places) {
        std::error_code ignored;
        if (!fs::is_regular_file(place, ignored)) continue;
        if (const fs::path found = place.lexically_normal(); seen.insert(found).second) to_read.push_back(found);
        break;
      }
    }
  }
  return replaced;
}

}  // namespace warpbook::app
