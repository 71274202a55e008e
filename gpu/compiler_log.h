// What NVRTC and ptxas wrote, read: diagnostics with line and column, figures a kernel, and one sentence for the learner.
//
//     std::string log = hide_paths(answer.log, hello.hidden_paths);
//     std::vector<Diagnostic> diagnostics = parse_diagnostics(log, "add.cu", "add.cu", source_text);
//     std::map<std::string, ResourceUsage> usage = parse_resource_usage(log);  // by entry name
//
// NVRTC prints `name(line): error: text`, the source line behind two blanks, and a caret below the column.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {

/// Takes out of NVRTC's words what is about this machine: the toolkit's folders (`paths`, longest first), and why a file that
/// the source may not read could not be opened.
[[nodiscard]] std::string hide_paths(std::string text, const std::vector<std::string>& paths);

/// `name` is what NVRTC calls the file, `file` what the learner calls it. Warnings in other files (the toolkit's) are left out;
/// `headers` are the learner's as well.
[[nodiscard]] std::vector<Diagnostic> parse_diagnostics(std::string_view log, std::string_view name, std::string_view file,
                                                        std::span<const Header> headers = {});

struct ResourceUsage {
  int registers = 0, spill_bytes = 0;  // spill: bytes stored, a thread
  std::uint32_t shared_bytes = 0, stack_bytes = 0;
};
[[nodiscard]] std::map<std::string, ResourceUsage> parse_resource_usage(std::string_view log);

/// "Left out, as the host's: <iostream>, main(). …"
[[nodiscard]] std::string left_out_sentence(const std::vector<std::string>& names);
/// Why a kernel cannot call it.
[[nodiscard]] std::string host_function_sentence(std::string_view name);
/// The word between the first quotes, "twice" of `identifier "twice" is undefined`.
[[nodiscard]] std::string quoted_word(std::string_view text);

/// Why the file does not compile where no diagnostic names a line of it: what the log says beside, or that it says nothing.
[[nodiscard]] std::string without_diagnostics(std::string_view file, std::string_view log);

/// The first error in a file of the learner's, or else the first, in one sentence, with what to try next. `source` is the text that
/// was compiled; `local`: what was looked for in its folder, where it has one.
[[nodiscard]] std::string explain(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                                  const LocalHeaders* local = nullptr);

}  // namespace warpbook::gpu
