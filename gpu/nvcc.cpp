#include "gpu/nvcc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "gpu/compiler_scratch.h"
#include "gpu/source_tokens.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

std::size_t number_at(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// A message of the preprocessor: "add.cu:3:10: fatal error: rest".
struct GccLine {
  std::string_view file, severity, message;
  std::size_t line = 0, column = 0;
};
std::optional<GccLine> gcc_line(std::string_view line) {
  for (const std::string_view severity : {": fatal error: ", ": error: ", ": warning: "}) {
    const std::size_t at = line.find(severity);
    if (at == std::string_view::npos) continue;
    const std::string_view place = line.substr(0, at);
    const std::size_t second = place.rfind(':');
    const std::size_t first = second == std::string_view::npos || second == 0 ? second : place.rfind(':', second - 1);
    if (first == std::string_view::npos || first == 0) continue;
    GccLine found{.file = place.substr(0, first),
                  .severity = severity.substr(2, severity.size() - 4),
                  .message = line.substr(at + severity.size()),
                  .line = number_at(place.substr(first + 1)),
                  .column = number_at(place.substr(second + 1))};
    if (found.line > 0) return found;
  }
  return std::nullopt;
}

/// The file that the preprocessor could not open. The reason is dropped, because "permission denied" would reveal that the file
/// exists.
std::string_view unopened_file(const GccLine& line) {
  if (line.severity != "fatal error") return {};
  for (const std::string_view why :
       {": No such file or directory", ": Permission denied", ": Operation not permitted", ": Not a directory", ": Is a directory"})
    if (line.message.ends_with(why)) return line.message.substr(0, line.message.size() - why.size());
  return {};
}

std::string_view text_of_line(std::string_view text, std::size_t line) {
  for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// All positions of a name as a whole word, ascending.
std::vector<std::size_t> places_of(std::string_view text, std::string_view name) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool longer = is_word(name.front()) && ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end])));
    if (!longer) places.push_back(at);
  }
  return places;
}

/// Finds the word at `caret`, in nvcc's version of a line, in the source's line. Usually the rest of both lines is equal; otherwise
/// the same number of occurrences must follow.
std::size_t column_in_source(std::string_view shown, std::size_t caret, std::string_view source) {
  if (caret >= shown.size()) return source.size();
  const std::string_view rest = trimmed(shown.substr(caret));
  if (const std::size_t at = source.rfind(rest); at != std::string_view::npos) return at;
  std::size_t length = 1;
  while (length < rest.size() && is_word(rest.front()) && is_word(rest[length])) ++length;
  const std::string_view name = rest.substr(0, length);
  const std::vector<std::size_t> in_source = places_of(source, name);
  const std::size_t following = places_of(rest, name).size();
  if (in_source.empty()) return 0;
  return in_source[in_source.size() >= following ? in_source.size() - following : 0];
}

}  // namespace

std::vector<std::string> Nvcc::words(const CompileRequest& request, int architecture, const std::string& output,
                                     const std::string& standard) const {
  // The author's options are unknown. These two permit what the source may need and change nothing else.
  std::vector<std::string> words{path,
                                 "-ptx",
                                 fmt::format("-arch=compute_{}", architecture),
                                 "-Wno-deprecated-gpu-targets",
                                 "--expt-relaxed-constexpr",
                                 "--extended-lambda",
                                 "-I."};
  if (request.device_debug)
    words.emplace_back("-G");  // includes line information
  else if (request.line_info)
    words.emplace_back("-lineinfo");
  if (!standard.empty()) words.push_back("-std=" + standard);
  for (const std::string& define : request.defines) words.push_back("-D" + define);
  words.insert(words.end(), {"-o", output, request.name});
  return words;
}

std::vector<std::string> Nvcc::assembler_words(int architecture, const std::string& ptx, const std::string& output) const {
  return {(fs::path(path).parent_path() / "ptxas").string(), "-v", fmt::format("-arch=sm_{}", architecture), ptx, "-o", output};
}

std::vector<std::string> Nvcc::header_folders() const {
  std::vector<std::string> folders;
  for (const char* folder : {"targets/x86_64-linux/include", "targets/sbsa-linux/include", "include"}) {
    for (const fs::path& top : {fs::path(path).parent_path() / "..", fs::path(toolkit)}) {
      folders.push_back((top / folder / "cccl").string());
      folders.push_back((top / folder).string());
    }
    if (const std::string real = real_path(fs::path(toolkit) / folder); !real.empty()) folders.push_back(real);
  }
  std::stable_sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return folders;
}

ProgramsReach Nvcc::reach() const {
  ProgramsReach reach{.readable = {"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64", "/usr/libexec/gcc", "/lib",
                                   "/lib64", "/etc/ld.so.cache"},
                      .executable = {"/usr/lib/gcc", "/usr/libexec/gcc"},
                      .scratch = {}};
  // Debian's toolkit is in /usr/lib/…, with its headers among the system's.
  for (const char* folder : {"bin", "nvvm", "include", "targets", "lib", "lib64"})
    if (const std::string real = real_path(fs::path(toolkit) / folder); !real.empty()) reach.readable.push_back(real);
  for (const fs::path& program :
       {fs::path(path), fs::path(path).parent_path() / "cudafe++", fs::path(path).parent_path() / "ptxas",
        fs::path(toolkit) / "nvvm/bin/cicc", fs::path("/bin/sh"), fs::path("/usr/bin/gcc"), fs::path("/usr/bin/g++"),
        fs::path("/lib64/ld-linux-x86-64.so.2"), fs::path("/lib/ld-linux-aarch64.so.1")})
    if (const std::string real = real_path(program); !real.empty()) reach.executable.push_back(real);
  return reach;
}

std::optional<Nvcc> find_nvcc() {
  std::vector<fs::path> candidates;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* value = std::getenv(variable); value != nullptr && *value == '/') candidates.emplace_back(value);
  candidates.emplace_back("/usr/local/cuda");
  candidates.emplace_back("/usr/lib/nvidia-cuda-toolkit");
  if (access("/usr/bin/gcc", X_OK) != 0) return std::nullopt;
  for (const fs::path& candidate : candidates) {
    const std::string path = real_path(candidate / "bin" / "nvcc");
    if (path.empty() || access(path.c_str(), X_OK) != 0) continue;
    const fs::path toolkit = fs::path(path).parent_path().parent_path();
    if (fs::exists(toolkit / "nvvm" / "bin" / "cicc")) return Nvcc{.path = path, .toolkit = toolkit.string()};
  }
  return std::nullopt;
}

std::vector<int> architectures_in(std::string_view listed) {
  constexpr std::string_view prefix = "compute_";
  std::vector<int> all;
  for (std::size_t at = listed.find(prefix); at != std::string_view::npos; at = listed.find(prefix, at + 1))
    if (const std::size_t value = number_at(listed.substr(at + prefix.size())); value > 0) all.push_back(static_cast<int>(value));
  std::sort(all.begin(), all.end());
  return all;
}

std::string version_in(std::string_view told) {
  constexpr std::string_view word = "release ";
  const std::size_t at = told.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = told.substr(at + word.size());
  return std::string(rest.substr(0, rest.find_first_of(",\n ")));
}

std::string as_nvrtc_writes(std::string_view log, const std::function<std::string_view(std::string_view)>& text_of) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    lines.push_back(log.substr(at, end - at));
    at = end + 1;
  }
  std::string text;
  std::string_view source;  // the source line of the last headline
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto gcc = gcc_line(lines[i])) {
      const std::string_view file = unopened_file(*gcc);
      const std::string message = file.empty() ? std::string(gcc->message) : fmt::format("could not open source file \"{}\"", file);
      const std::string_view shown = text_of_line(text_of(gcc->file), gcc->line);
      text += fmt::format("{}({}): {}: {}\n  {}\n  {:>{}}\n\n", gcc->file, gcc->line,
                          gcc->severity == "fatal error" ? "catastrophic error" : gcc->severity, message, shown, "^",
                          std::max<std::size_t>(gcc->column, 1));
      while (i + 1 < lines.size() && lines[i + 1].find(" | ") != std::string_view::npos) ++i;  // the source line, then the caret
      continue;
    }
    if (const std::size_t at = lines[i].find("): "); at != std::string_view::npos) {
      const std::size_t open = lines[i].rfind('(', at);
      if (open != std::string_view::npos)
        source = text_of_line(text_of(lines[i].substr(0, open)), number_at(lines[i].substr(open + 1)));
    }
    const bool caret_next = i + 1 < lines.size() && trimmed(lines[i + 1]) == "^";
    if (caret_next && !source.empty()) {
      const std::size_t caret = lines[i + 1].find('^');
      text += fmt::format("  {}\n  {:>{}}\n", source, "^", column_in_source(lines[i], caret, source) + 1);
      ++i;
      continue;
    }
    text += fmt::format("{}\n", lines[i]);
  }
  return text;
}

bool wants_newer_standard(std::string_view text) {
  for (const std::string_view word : {"concept ", "requires ", "consteval ", "constinit ", "<=>", "<span>", "<concepts>",
                                      "<ranges>", "<bit>", "<numbers>", "std::span", "[[likely]]", "[[unlikely]]"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace warpbook::gpu
