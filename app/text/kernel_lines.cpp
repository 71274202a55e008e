#include "app/text/kernel_lines.h"

#include <algorithm>
#include <cctype>

#include "gpu/text.h"

namespace warpbook::app {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The line's first "(" is the kernel's own; launch bounds do not count.
bool declares(std::string_view line, std::string_view kernel) {
  constexpr std::string_view bounds = "__launch_bounds__";
  if (const auto at = line.find(bounds); at != std::string_view::npos) {
    const auto end = line.find(')', at);
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  }
  std::string_view before = line.substr(0, line.find('('));
  if (before.size() == line.size()) return false;
  before = before.substr(0, before.find_last_not_of(" \t") + 1);
  return before.ends_with(kernel) && (before.size() == kernel.size() || !is_name(before[before.size() - kernel.size() - 1]));
}

}  // namespace

std::vector<std::size_t> kernel_lines(const std::vector<std::string>& lines, std::string_view kernel, const Defines& defines) {
  const std::vector<bool> off = inactive_lines(lines, defines);
  const auto spans = highlight(lines);
  const auto counts = [&](std::size_t i) {
    const std::string_view words = trimmed(lines[i]);
    const auto indent = static_cast<std::size_t>(words.data() - lines[i].data());
    const bool only_comment = !spans[i].empty() && spans[i].front().kind == CodeKind::comment && spans[i].front().begin <= indent &&
                              spans[i].back().kind == CodeKind::comment && spans[i].size() == 1;
    return !off[i] && !words.empty() && !words.starts_with('#') && !only_comment;
  };
  // The qualifier may stand some lines above the name, as with launch bounds.
  std::size_t first = lines.size();
  for (std::size_t i = 0; i < lines.size() && first == lines.size(); ++i) {
    if (off[i] || lines[i].find("__global__") == std::string::npos) continue;
    for (std::size_t j = i, passed = 0; j < lines.size() && passed < 4; ++j) {
      if (!counts(j)) continue;
      ++passed;
      if (declares(lines[j], kernel)) first = i;
      if (lines[j].find('(') != std::string::npos && lines[j].find("__launch_bounds__") == std::string::npos) break;
    }
  }
  std::vector<std::size_t> found;
  int depth = 0;
  bool entered = false;
  for (std::size_t i = first; i < lines.size() && !(entered && depth == 0); ++i) {
    if (!counts(i)) continue;
    found.push_back(i);
    for (std::size_t at = 0; at < lines[i].size(); ++at) {
      const char c = lines[i][at];
      if (c != '{' && c != '}') continue;
      const bool quoted = std::any_of(spans[i].begin(), spans[i].end(), [&](const CodeSpan& span) {
        return at >= span.begin && at < span.end && (span.kind == CodeKind::comment || span.kind == CodeKind::string);
      });
      if (quoted) continue;
      depth += c == '{' ? 1 : -1;
      entered = true;
    }
  }
  return found;
}

}  // namespace warpbook::app
