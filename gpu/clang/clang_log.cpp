// Rewrites clang's messages into NVRTC's form.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "gpu/clang/clang.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

struct ClangLine {
  std::string_view file, severity, message;
  std::size_t line = 0, column = 0;
};

std::size_t whole_number_of(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "k.cu:3:8: error: text"
std::optional<ClangLine> clang_line(std::string_view line) {
  for (const std::string_view severity : {": fatal error: ", ": error: ", ": warning: ", ": note: ", ": remark: "}) {
    const std::size_t at = line.find(severity);
    if (at == std::string_view::npos) continue;
    const std::string_view place = line.substr(0, at);
    const std::size_t second = place.rfind(':');
    const std::size_t first = second == std::string_view::npos || second == 0 ? second : place.rfind(':', second - 1);
    if (first == std::string_view::npos || first == 0) continue;
    std::string_view file = place.substr(0, first);
    if (file.starts_with("./")) file.remove_prefix(2);
    const ClangLine found{.file = file,
                          .severity = severity.substr(2, severity.size() - 4),
                          .message = line.substr(at + severity.size()),
                          .line = whole_number_of(place.substr(first + 1)),
                          .column = whole_number_of(place.substr(second + 1))};
    if (found.line > 0) return found;
  }
  return std::nullopt;
}

/// "In file included from k.cu:1:"
std::optional<ClangLine> including_line(std::string_view line) {
  for (const std::string_view words : {"In file included from ", "                 from "}) {
    if (!line.starts_with(words)) continue;
    line.remove_prefix(words.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view file = line.substr(0, colon);
    if (file.starts_with("./")) file.remove_prefix(2);
    return ClangLine{.file = file, .severity = {}, .message = {}, .line = whole_number_of(line.substr(colon + 1)), .column = 0};
  }
  return std::nullopt;
}

std::string_view line_of_text(std::string_view text, std::size_t line) {
  for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// The text between the first two single quotes.
std::string_view in_single_quotes(std::string_view text) {
  const std::size_t open = text.find('\'');
  const std::size_t close = open == std::string_view::npos ? open : text.find('\'', open + 1);
  return close == std::string_view::npos ? std::string_view() : text.substr(open + 1, close - open - 1);
}

/// `wrong_side`: a note says that the called function is a host function.
std::string in_nvrtcs_words(std::string_view message, bool wrong_side) {
  const std::string_view name = in_single_quotes(message);
  // The message must not reveal whether a file is missing or may not be read.
  const bool missing = message.find("' file not found") != std::string_view::npos;
  if (missing || message.starts_with("cannot open file '") || message.starts_with("error reading '"))
    return fmt::format("could not open source file \"{}\"", name);
  for (const std::string_view unknown : {"use of undeclared identifier '", "unknown type name '", "no template named '"}) {
    if (message.starts_with(unknown)) return fmt::format("identifier \"{}\" is undefined", name);
  }
  if (message.starts_with("reference to __global__ function")) return "kernel launch from __device__ or __global__ functions";
  const bool host_function = message.starts_with("reference to __host__ function '");
  if (host_function || (wrong_side && message.starts_with("no matching function for call to '")))
    return fmt::format("calling a __host__ function(\"{}\") from a __device__ or __global__ function is not allowed", name);
  if (message.starts_with("reference to __host__ variable '"))
    return fmt::format("\"{}\" is considered a host variable: a __device__ or __global__ function cannot use it", name);
  return std::string(message);
}

bool is_way_to_template(const ClangLine& note) {
  return note.severity == "note" && note.message.starts_with("in instantiation of");
}

/// Reads clang's lines and writes lines in NVRTC's form.
class LogWriter {
 public:
  explicit LogWriter(const std::function<std::string_view(std::string_view)>& text_of) : text_of_(text_of) {}

  std::string written(std::string_view log) {
    while (!log.empty()) {
      const std::size_t end = std::min(log.find('\n'), log.size());
      lines_.push_back(log.substr(0, end));
      log.remove_prefix(std::min(end + 1, log.size()));
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto found = clang_line(lines_[i]);
      if (found && is_way_to_template(*found)) continue;  // reported together with its error
      if (found)
        message(i, *found);
      else if (!including_line(lines_[i]) && lines_[i].find(" generated when compiling for ") == std::string_view::npos)
        text_ += fmt::format("{}\n", lines_[i]);
    }
    return std::move(text_);
  }

 private:
  void message(std::size_t at, const ClangLine& found) {
    const bool note = found.severity == "note" || found.severity == "remark";
    const std::string words = note ? std::string(found.message) : in_nvrtcs_words(found.message, says_wrong_side(at));
    headline(found, found.severity == "fatal error" ? "catastrophic error" : found.severity, words);
    way_there(at, found);
    text_ += '\n';
  }

  void headline(const ClangLine& at, std::string_view severity, std::string_view message) {
    text_ += fmt::format("{}({}): {}: {}\n", at.file, at.line, severity, message);
    const std::string_view source = line_of_text(text_of_(at.file), at.line);  // empty: not a file of the learner's
    if (at.column > 0 && !source.empty()) text_ += fmt::format("  {}\n  {:>{}}\n", source, "^", at.column);
  }

  /// The template instantiations that led to an error, innermost first. For an error in a foreign header: who includes it.
  void way_there(std::size_t at, const ClangLine& found) {
    if (found.severity == "note") return;
    bool any = false;
    for (std::size_t i = at + 1; i < lines_.size(); ++i) {
      const auto note = clang_line(lines_[i]);
      if (!note && including_line(lines_[i])) continue;
      if (!note || note->severity != "note") break;
      if (!is_way_to_template(*note)) continue;
      const std::string_view what = note->message.substr(std::string_view("in ").size());
      const std::size_t requested = what.find(" requested here");
      text_ += fmt::format("          {}{} at line {} of {}\n", any ? "" : "detected during ", what.substr(0, requested),
                           note->line, note->file);
      any = true;
    }
    if (any || !text_of_(found.file).empty()) return;
    std::string includers;
    for (std::size_t i = at; i > 0; --i) {
      const auto from = including_line(lines_[i - 1]);
      if (!from) break;
      includers +=
          fmt::format("          {}inclusion at line {} of {}\n", i == at ? "detected during " : "", from->line, from->file);
    }
    // clang lists them only for a header's first message.
    text_ += includers_.try_emplace(std::string(found.file), includers).first->second;
  }

  /// Whether a note for this error says that the only candidate is a host function.
  [[nodiscard]] bool says_wrong_side(std::size_t at) const {
    for (std::size_t i = at + 1; i < lines_.size(); ++i) {
      const auto note = clang_line(lines_[i]);
      if (!note || note->severity != "note") return false;
      if (note->message.find("call to __host__ function from __") != std::string_view::npos) return true;
    }
    return false;
  }

  const std::function<std::string_view(std::string_view)>& text_of_;
  std::vector<std::string_view> lines_;
  std::map<std::string, std::string> includers_;  // by header
  std::string text_;
};

}  // namespace

std::string clang_as_nvrtc_writes(std::string_view log, const std::function<std::string_view(std::string_view)>& text_of) {
  return LogWriter(text_of).written(log);
}

}  // namespace warpbook::gpu
