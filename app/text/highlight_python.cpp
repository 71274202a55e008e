#include <algorithm>
#include <array>

#include "app/text/highlight.h"

namespace warpbook::app {
namespace python {  // its names beside those of CUDA C++
namespace {

constexpr auto keywords = std::to_array<std::string_view>(
    {"False",  "None",     "True", "and",    "as",      "assert", "async",  "await",  "break", "class",  "continue", "def",
     "del",    "elif",     "else", "except", "finally", "for",    "from",   "global", "if",    "import", "in",       "is",
     "lambda", "nonlocal", "not",  "or",     "pass",    "raise",  "return", "try",    "while", "with",   "yield"});
static_assert(std::is_sorted(keywords.begin(), keywords.end()));

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool in_name(char c) { return starts_name(c) || is_digit(c); }

std::size_t end_of_name(std::string_view line, std::size_t at) {
  while (at < line.size() && in_name(line[at])) ++at;
  return at;
}

/// "cuda.threadIdx.x", "np.zeros": dotted names are one thing to a reader.
std::size_t end_of_dotted(std::string_view line, std::size_t at) {
  at = end_of_name(line, at);
  while (at + 1 < line.size() && line[at] == '.' && starts_name(line[at + 1])) at = end_of_name(line, at + 1);
  return at;
}

class Highlighter {
 public:
  std::vector<CodeSpan> line(std::string_view text) {
    spans_.clear();
    at_ = 0;
    if (!open_quote_.empty()) quoted(text, 0);
    while (at_ < text.size()) token(text);
    return spans_;
  }

 private:
  void add(std::size_t end, CodeKind kind) {
    if (kind != CodeKind::plain && end > at_) spans_.push_back({at_, end, kind});
    at_ = end;
  }

  /// Up to the quote that closes; a triple one may be lines away.
  void quoted(std::string_view text, std::size_t from) {
    while (from < text.size()) {
      if (text[from] == '\\') {
        from += 2;
      } else if (text.substr(from).starts_with(open_quote_)) {
        add(from + open_quote_.size(), CodeKind::string);
        open_quote_.clear();
        return;
      } else {
        ++from;
      }
    }
    add(text.size(), CodeKind::string);
    if (open_quote_.size() == 1) open_quote_.clear();
  }

  void token(std::string_view text) {
    const char c = text[at_];
    const std::string_view rest = text.substr(at_);
    if (c == '#') {
      add(text.size(), CodeKind::comment);
    } else if (c == '"' || c == '\'') {
      open_quote_ = std::string(rest.starts_with(std::string(3, c)) ? 3 : 1, c);
      quoted(text, at_ + open_quote_.size());
    } else if (c == '@') {
      add(end_of_dotted(text, at_ + 1), CodeKind::qualifier);
    } else if (is_digit(c)) {
      std::size_t end = at_ + 1;
      while (end < text.size() && (in_name(text[end]) || text[end] == '.' ||
                                   ((text[end] == '-' || text[end] == '+') && (text[end - 1] == 'e' || text[end - 1] == 'E')))) {
        ++end;
      }
      add(end, CodeKind::number);
    } else if (starts_name(c)) {
      const std::string_view word = text.substr(at_, end_of_name(text, at_) - at_);
      const std::size_t end = end_of_dotted(text, at_);
      const std::string_view all = text.substr(at_, end - at_);
      const bool prefix = word.size() <= 2 && end < text.size() && (text[end] == '"' || text[end] == '\'');
      if (std::binary_search(keywords.begin(), keywords.end(), word)) {
        add(at_ + word.size(), CodeKind::keyword);
      } else if (prefix) {  // f"…"
        add(end, CodeKind::string);
      } else if (all == "cuda.syncthreads" || all == "cuda.synchronize") {
        add(end, CodeKind::qualifier);
      } else if (word == "cuda" || word == "print" || word == "range" || word == "len") {
        add(end, CodeKind::builtin);
      } else {
        at_ = end;
      }
    } else {
      ++at_;
    }
  }

  std::vector<CodeSpan> spans_;
  std::size_t at_ = 0;
  std::string open_quote_;  // of a string that is not closed yet
};

}  // namespace
}  // namespace python

std::vector<std::vector<CodeSpan>> highlight_python(const std::vector<std::string>& lines) {
  python::Highlighter highlighter;
  std::vector<std::vector<CodeSpan>> spans;
  spans.reserve(lines.size());
  for (const std::string& line : lines) spans.push_back(highlighter.line(line));
  return spans;
}

}  // namespace warpbook::app
