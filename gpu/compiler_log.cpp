#include "gpu/compiler_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "gpu/common_mistakes.h"
#include "gpu/device_side.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool blank(std::string_view line) { return trimmed(line).empty(); }
bool caret(std::string_view line) { return trimmed(line) == "^"; }

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

struct Headline {
  std::string_view file;
  int line = 0;
  Diagnostic::Severity severity = Diagnostic::Severity::error;
  std::string_view message;
};

// "name(12): error: text", "name(12): warning #177-D: text"
std::optional<Headline> header_of(std::string_view line) {
  struct Word {
    std::string_view text;
    Diagnostic::Severity severity;
  };
  constexpr std::array<Word, 6> words{{{"catastrophic error", Diagnostic::Severity::error},
                                       {"internal error", Diagnostic::Severity::error},
                                       {"error", Diagnostic::Severity::error},
                                       {"warning", Diagnostic::Severity::warning},
                                       {"note", Diagnostic::Severity::note},
                                       {"remark", Diagnostic::Severity::note}}};
  for (std::size_t at = line.find("): "); at != std::string_view::npos; at = line.find("): ", at + 1)) {
    const std::size_t open = line.rfind('(', at);
    if (open == std::string_view::npos || open == 0) continue;
    const std::string_view digits = line.substr(open + 1, at - open - 1);
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      continue;
    std::string_view rest = line.substr(at + 3);
    for (const Word& word : words) {
      if (!rest.starts_with(word.text)) continue;
      rest.remove_prefix(word.text.size());
      if (rest.starts_with(" #")) rest.remove_prefix(std::min(rest.find(':'), rest.size()));
      if (!rest.starts_with(":")) return std::nullopt;
      return Headline{line.substr(0, open), number<int>(digits).value_or(0), word.severity, trimmed(rest.substr(1))};
    }
  }
  return std::nullopt;
}

/// The compiler's path to a line: `instantiation of "T f(T) [with T=int]" at line 2`, or `… at line 5 of k.cu`.
struct CameFrom {
  int line = 0;           // 0: not given
  std::string_view file;  // empty: the same as before
};
CameFrom came_from(std::string_view text) {
  constexpr std::string_view at_line = "at line ", of = " of ";
  const std::size_t at = text.rfind(at_line);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + at_line.size());
  const std::size_t behind = rest.find(of);
  return {.line = number<int>(rest).value_or(0),
          .file = behind == std::string_view::npos ? std::string_view() : trimmed(rest.substr(behind + of.size()))};
}

/// A message of NVRTC or ptxas that names no line. Empty: there is none.
std::string_view words_without_place(std::string_view log) {
  for (const std::string_view line : lines_of(log)) {
    std::string_view words = trimmed(line);
    for (const std::string_view who : {"Command-line error:", "nvrtc:", "nvcc fatal", "ptxas fatal", "ptxas error", "error"}) {
      if (!words.starts_with(who)) continue;
      words = trimmed(words.substr(who.size()));
      if (words.starts_with(':')) words = trimmed(words.substr(1));
      for (const std::string_view again : {"error:", "fatal:"})
        if (words.starts_with(again)) words = trimmed(words.substr(again.size()));
      return words;
    }
  }
  return {};
}

constexpr std::size_t most_diagnostics = 100;  // NVRTC stops at 100 errors, but its warnings are not limited
constexpr std::size_t no_error = static_cast<std::size_t>(-1);

/// Moves an error in the toolkit's files to the learner's line that led to it. If one line has several, the first is kept.
void tell_where_it_is_used(std::vector<Diagnostic>& diagnostics, std::size_t at, const Diagnostic& learners) {
  Diagnostic& error = diagnostics[at];
  const auto same = [&](const Diagnostic& d) {
    return d.severity == Diagnostic::Severity::error && d.file == learners.file && d.line == learners.line;
  };
  if (std::any_of(diagnostics.begin(), diagnostics.begin() + static_cast<std::ptrdiff_t>(at), same)) {
    diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(at), diagnostics.end());
    return;
  }
  error.message += fmt::format(" (in {} line {}, which this line makes the compiler use)", error.file, error.line);
  error.file = learners.file;
  error.line = learners.line;
  error.column = 0;
}

std::string_view source_line(std::string_view source, int line) {
  const auto lines = lines_of(source);
  return line >= 1 && static_cast<std::size_t>(line) <= lines.size() ? lines[static_cast<std::size_t>(line) - 1]
                                                                     : std::string_view{};
}

std::string word_at(std::string_view line, int column) {
  std::string word;
  for (std::size_t i = column < 1 ? line.size() : static_cast<std::size_t>(column) - 1;
       i < line.size() && (std::isalnum(static_cast<unsigned char>(line[i])) != 0 || line[i] == '_'); ++i)
    word += line[i];
  return word;
}

constexpr std::string_view host_advice =
    "Warpbook leaves the host's part of a file out and plays the host itself: it allocates, copies and launches. Nothing that a "
    "kernel uses can come from there.";

/// Recognises NVRTC's wording and nvcc's.
bool is_launch_by_a_kernel(std::string_view message) {
  return message.find("device-side kernel launch") != std::string_view::npos ||
         message.find("kernel launch from __device__ or __global__ functions") != std::string_view::npos;
}

std::string explain_one(const Diagnostic& d, std::string_view source, const LocalHeaders* local) {
  const std::string_view text = d.message;
  const std::string word = word_at(source_line(source, d.line), d.column);
  if (text.find("could not open source file") != std::string_view::npos ||
      text.find("cannot open source file") != std::string_view::npos) {
    const std::string header = quoted_word(text);
    if (is_host_header(header)) return fmt::format("<{}> is a header for host code. {}", header, host_advice);
    if (local != nullptr && !local->why_not(header).empty()) return std::string(local->why_not(header));
    if (local != nullptr)
      return fmt::format(
          "there is no \"{0}\" to include: a kernel may include what lies in its file's folder or below it, as #include \"{0}\", "
          "and the CUDA Toolkit's headers.",
          header);
    return fmt::format(
        "\"{}\" cannot be included: a kernel that is opened from a file may include what lies beside it, and this one only the "
        "CUDA Toolkit's headers. Copy what you need of it into this file.",
        header);
  }
  if (text.find("considered a host function") != std::string_view::npos ||
      text.find("explicitly marked as a __host__ function") != std::string_view::npos ||
      text.starts_with("calling a __host__ function(\"")) {
    if (word == "main") return fmt::format("main() is host code. {}", host_advice);
    return host_function_sentence(word);
  }
  if (is_launch_by_a_kernel(text))
    return "a kernel or a __device__ function launches a kernel here. That is dynamic parallelism, which Warpbook does not run. "
           "Launch the inner kernel from the host, or make it a __device__ function and call that.";
  if (text.find("considered a host variable") != std::string_view::npos)
    return fmt::format("{} lies in the host's memory, which a kernel cannot see. Write __device__ or __constant__ before it.",
                       word.empty() ? "this variable" : word);
  if (const std::string name = quoted_word(text); text.ends_with("is undefined")) {
    if (name.starts_with("cuda") && name.size() > 4 && std::isupper(static_cast<unsigned char>(name[4])) != 0)
      return fmt::format("{} is called by host code. {}", name, host_advice);
    if (const std::string known = common_mistake(text, lines_of(source), d.line, d.column); !known.empty()) return known;
    return fmt::format("{} is not declared here. Look for a typing mistake, or a missing declaration or #include above this line.",
                       name);
  }
  if (std::string known = common_mistake(text, lines_of(source), d.line, d.column); !known.empty()) return known;
  std::string sentence(text);
  if (!sentence.empty() && sentence.back() != '.') sentence += '.';
  return sentence;
}

}  // namespace

// The text between the first pair of quotation marks.
std::string quoted_word(std::string_view text) {
  const std::size_t open = text.find('"');
  const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
  return close == std::string_view::npos ? std::string() : std::string(text.substr(open + 1, close - open - 1));
}

std::string host_function_sentence(std::string_view name) {
  return fmt::format(
      "{} has no __device__ in front of it, so it is a host function, which the GPU cannot call. Write __device__ before it if a "
      "kernel uses it; leave it out if only main() does.",
      name.empty() ? std::string("this function") : std::string(name) + "()");
}

std::string left_out_sentence(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  return fmt::format("Left out, as the host's: {}. Warpbook allocates, copies and launches itself.", list);
}

std::string hide_paths(std::string text, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path.empty() || path == "/") continue;
    for (const std::string& what : {path + "/", path})
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
  }
  // `could not open source file "x": Permission denied` would reveal that the file exists.
  constexpr std::string_view unopened = "open source file \"";
  for (std::size_t at = text.find(unopened); at != std::string::npos; at = text.find(unopened, at + 1)) {
    const std::size_t line = std::min(text.find('\n', at), text.size());
    const std::size_t close = text.rfind('"', line);
    if (close > at + unopened.size() - 1) text.erase(close + 1, line - close - 1);
  }
  return text;
}

std::vector<Diagnostic> parse_diagnostics(std::string_view log, std::string_view name, std::string_view file,
                                          std::span<const Header> headers) {
  std::vector<Diagnostic> diagnostics;
  const std::vector<std::string_view> lines = lines_of(log);
  const auto is_own = [&](std::string_view of) {
    return of == name || std::any_of(headers.begin(), headers.end(), [&](const Header& h) { return h.name == of; });
  };
  std::size_t last_error = no_error, left_out = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto header = header_of(lines[i]);
    if (!header) continue;
    const bool main = header->file == name, own = is_own(header->file);
    Diagnostic d{header->severity, std::string(main ? file : header->file), header->line, 0, std::string(header->message)};
    std::vector<Diagnostic> notes;
    bool in_notes = false;
    std::string_view chain = header->file;  // the chain of includes and instantiations that led to the error
    std::optional<Diagnostic> learners;     // its first step in one of the learner's files
    // Until the next blank line there may be more of the message, the source line, the caret, and that chain.
    for (; i + 1 < lines.size() && !blank(lines[i + 1]) && !header_of(lines[i + 1]); ++i) {
      const std::string_view line = lines[i + 1];
      const bool caret_next = i + 2 < lines.size() && caret(lines[i + 2]);
      if (caret(line)) {
        const std::size_t at = line.find('^');
        d.column = at >= 2 ? static_cast<int>(at) - 1 : 0;  // after two blanks, counted from 1
      } else if (line.find("detected during") != std::string_view::npos || in_notes) {
        // A note of one line, or a headline with a line for each instantiation: "instantiation of class "F<3>" at line 2".
        in_notes = true;
        const CameFrom from = came_from(line);
        if (from.line == 0) continue;
        if (!from.file.empty()) chain = from.file;
        const std::string named(chain == name ? file : chain);
        notes.push_back({Diagnostic::Severity::note, named, from.line, 0, std::string(trimmed(line))});
        if (!learners && is_own(chain)) learners = notes.back();
      } else if (!caret_next && d.column == 0) {
        // NVRTC continues without punctuation: "no operator matches these operands" "operand types are: …".
        const bool ended = d.message.empty() || std::ispunct(static_cast<unsigned char>(d.message.back())) != 0;
        d.message += (ended ? " " : "; ") + std::string(trimmed(line));
      }
    }
    const bool error = header->severity == Diagnostic::Severity::error;
    // The chain that led to an error in the toolkit may come after notes that follow the error.
    if (header->severity != Diagnostic::Severity::note) last_error = error && !own ? diagnostics.size() : no_error;
    if (!error && diagnostics.size() >= most_diagnostics) {
      left_out += own ? 1 : 0;
      continue;
    }
    if (own || error) diagnostics.push_back(std::move(d));
    if (learners && last_error != no_error)
      tell_where_it_is_used(diagnostics, std::exchange(last_error, no_error), *learners);
    else if (own)
      diagnostics.insert(diagnostics.end(), notes.begin(), notes.end());
  }
  if (left_out > 0)
    diagnostics.push_back(
        {Diagnostic::Severity::note, std::string(file), 0, 0, fmt::format("{} more warnings and notes are not shown.", left_out)});
  return diagnostics;
}

std::map<std::string, ResourceUsage> parse_resource_usage(std::string_view log) {
  std::map<std::string, ResourceUsage> usage;
  ResourceUsage* current = nullptr;
  // The number before a word, as in "Used 10 registers" or "256 bytes smem".
  const auto before = [](std::string_view line, std::string_view word) -> int {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) return 0;
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
    return number<int>(line.substr(begin, at - begin)).value_or(0);
  };
  for (const std::string_view line : lines_of(log)) {
    constexpr std::string_view entry = "Compiling entry function '", function = "Function properties for ";
    if (const std::size_t at = line.find(entry); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + entry.size());
      current = &usage[std::string(rest.substr(0, rest.find('\'')))];
    } else if (const std::size_t named = line.find(function); named != std::string_view::npos) {
      // A __device__ function that was not inlined is listed separately and must not be taken for the kernel.
      const auto found = usage.find(std::string(trimmed(line.substr(named + function.size()))));
      current = found == usage.end() ? nullptr : &found->second;
    } else if (current != nullptr && line.find(" bytes stack frame") != std::string_view::npos) {
      current->stack_bytes = static_cast<std::uint32_t>(before(line, " bytes stack frame"));
      current->spill_bytes = before(line, " bytes spill stores");
    } else if (current != nullptr && line.find("Used ") != std::string_view::npos) {
      current->registers = before(line, " registers");
      current->shared_bytes = static_cast<std::uint32_t>(before(line, " bytes smem"));
    }
  }
  return usage;
}

std::string without_diagnostics(std::string_view file, std::string_view log) {
  const std::string_view words = words_without_place(log);
  if (words.empty())
    return fmt::format(
        "{} could not be compiled: the compiler gave no reason. Take the last thing that you wrote out again, and compile it "
        "piece by piece.",
        file);
  return fmt::format("{} could not be compiled: {}{}", file, words, words.ends_with('.') ? "" : ".");
}

std::string explain(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                    const LocalHeaders* local) {
  const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; };
  const auto is_own = [&](const Diagnostic& d) {
    return is_error(d) && (d.file == file || (local != nullptr && local->has(d.file)));
  };
  auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_own);
  if (first == diagnostics.end()) first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
  if (first == diagnostics.end()) return without_diagnostics(file, {});
  const auto more = std::count_if(diagnostics.begin(), diagnostics.end(), is_error) - 1;
  const std::string where = first->line > 0 ? fmt::format("{} line {}", first->file, first->line) : std::string(file);
  std::string_view text = first->file == file ? source : std::string_view{};
  if (local != nullptr) {
    for (const Header& header : local->found) text = header.name == first->file ? std::string_view(header.text) : text;
  }
  const std::string sentence = explain_one(*first, text, local);
  return fmt::format("{}: {}{}", where, sentence,
                     more > 0 ? fmt::format(" ({} more {} below.)", more, more == 1 ? "error" : "errors") : "");
}

}  // namespace warpbook::gpu
