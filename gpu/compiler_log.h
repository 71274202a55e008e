// Parses the output of NVRTC and ptxas: diagnostics with line and column, resource usage per kernel, and one sentence for the
// learner.
//
//     std::string log = hide_paths(answer.log, hello.hidden_paths);
//     std::vector<Diagnostic> diagnostics = parse_diagnostics(log, "add.cu", "add.cu", source_text);
//     std::map<std::string, ResourceUsage> usage = parse_resource_usage(log);  // by entry name
//
// NVRTC prints `name(line): error: text`, then the source line after two blanks, then a caret below the column.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {

/// Removes what is specific to this machine from NVRTC's output: the toolkit's folders (`paths`, longest first) and the reason why
/// a file that the source may not read could not be opened.
[[nodiscard]] std::string hide_paths(std::string text, const std::vector<std::string>& paths);

/// `name` is the file's name in NVRTC's output, `file` the name for the learner. Warnings in other files (the toolkit's) are
/// dropped, but those in `headers` are kept, as they are the learner's.
[[nodiscard]] std::vector<Diagnostic> parse_diagnostics(std::string_view log, std::string_view name, std::string_view file,
                                                        std::span<const Header> headers = {});

struct ResourceUsage {
  int registers = 0, spill_bytes = 0;  // per thread; spill_bytes: bytes of spill stores
  std::uint32_t shared_bytes = 0, stack_bytes = 0;
};
[[nodiscard]] std::map<std::string, ResourceUsage> parse_resource_usage(std::string_view log);

/// "Left out, as the host's: <iostream>, main(). …"
[[nodiscard]] std::string left_out_sentence(const std::vector<std::string>& names);
/// A sentence that says why a kernel cannot call this function.
[[nodiscard]] std::string host_function_sentence(std::string_view name);
/// The word between the first quotes, "twice" of `identifier "twice" is undefined`.
[[nodiscard]] std::string quoted_word(std::string_view text);

/// The sentence for a compile that failed without a diagnostic that names a line: it quotes the rest of the log, or says that there
/// is none.
[[nodiscard]] std::string without_diagnostics(std::string_view file, std::string_view log);

/// A sentence about the first error in one of the learner's files, or else about the first error, with what to try next. `source`
/// is the text that was compiled. `local`: the headers that were looked up in its folder, if it has one.
[[nodiscard]] std::string explain(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                                  const LocalHeaders* local = nullptr);

}  // namespace warpbook::gpu
