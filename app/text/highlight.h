// Highlight: CUDA C++ and Python by token, and which lines the preprocessor leaves out. Pure: text in, spans out.
//
//     for (const CodeSpan& span : highlight(lines)[7]) draw(span.begin, span.end, colour_of(span.kind));
//     std::vector<bool> off = inactive_lines(lines, {{"USE_ATOMIC_ADD", "1"}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbook::app {

enum class CodeKind : std::uint8_t { plain, keyword, qualifier, builtin, number, string, comment, macro };

/// Bytes begin … end of one line. Spans of a line are in order and do not overlap; what they leave out is plain.
struct CodeSpan {
  std::size_t begin = 0, end = 0;
  CodeKind kind = CodeKind::plain;
};

[[nodiscard]] std::vector<std::vector<CodeSpan>> highlight(const std::vector<std::string>& lines);
[[nodiscard]] std::vector<std::vector<CodeSpan>> highlight_python(const std::vector<std::string>& lines);

/// Answers to an exercise (a .txt) have Python's comments and numbers.
enum class CodeLanguage : std::uint8_t { cuda, python, answers };
[[nodiscard]] inline CodeLanguage language_of(std::string_view file) {
  return file.ends_with(".txt") ? CodeLanguage::answers : file.ends_with(".py") ? CodeLanguage::python : CodeLanguage::cuda;
}
[[nodiscard]] inline std::vector<std::vector<CodeSpan>> highlight(const std::vector<std::string>& lines, CodeLanguage language) {
  return language == CodeLanguage::cuda ? highlight(lines) : highlight_python(lines);
}

using Defines = std::vector<std::pair<std::string, std::string>>;

/// True for lines that #if and its kin leave out under these defines. A condition that is more than integers, names, defined(),
/// ! == != < > <= >= && || and parentheses counts as true in all its branches: nothing is dimmed that might be compiled.
[[nodiscard]] std::vector<bool> inactive_lines(const std::vector<std::string>& lines, const Defines& defines);

}  // namespace warpbook::app
