// Nvcc: the toolkit's compiler program: finds it, makes its command lines, and parses its output.
//
//     std::optional<Nvcc> nvcc = find_nvcc();
//     if (nvcc) run(nvcc->words({.name = "add.cu", …}, 75, "kernel.ptx"));
//     std::string log = as_nvrtc_writes(log_of_nvcc, text_of_file);       // for compiler_log.h
//
// Looked for in CUDA_PATH, CUDA_HOME, /usr/local/cuda and Debian's folders. Only the compiler's child process runs it
// (nvcc_child.cpp), confined to what reach() lists.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"

namespace warpbook::gpu {

struct Nvcc {
  std::string path;     // the program's path, with links followed
  std::string toolkit;  // the folder with bin/, nvvm/ and the headers

  /// The command that compiles a request to PTX. `standard`: "c++20", or "" for nvcc's default.
  [[nodiscard]] std::vector<std::string> words(const CompileRequest& request, int architecture, const std::string& output,
                                               const std::string& standard) const;
  /// The command that runs the toolkit's assembler to report registers.
  [[nodiscard]] std::vector<std::string> assembler_words(int architecture, const std::string& ptx, const std::string& output) const;
  /// The files that it needs, except its scratch folder, which the caller adds.
  [[nodiscard]] ProgramsReach reach() const;
  /// Its header folders, longest first. They are hidden in messages.
  [[nodiscard]] std::vector<std::string> header_folders() const;
};

/// Empty: there is no nvcc, or no gcc, which it needs as its preprocessor.
[[nodiscard]] std::optional<Nvcc> find_nvcc();

/// Parses `nvcc --list-gpu-arch`: 75, 80 …
[[nodiscard]] std::vector<int> architectures_in(std::string_view listed);
/// Parses `nvcc --version`: "13.0"
[[nodiscard]] std::string version_in(std::string_view told);

/// Rewrites messages of the preprocessor into NVRTC's form, like "add.cu:3:10: fatal error: x.h: No such file …". nvcc shows source
/// lines after macro expansion; the carets are moved to the same words in the source. `text_of`: a file's text, by its name.
[[nodiscard]] std::string as_nvrtc_writes(std::string_view log, const std::function<std::string_view(std::string_view)>& text_of);

/// Whether a source uses keywords of C++20, for which nvcc needs an option.
[[nodiscard]] bool wants_newer_standard(std::string_view text);

/// The main loop of the child process. It never returns (compiler_child.cpp).
[[noreturn]] void serve_nvcc(FileConfinement files);

}  // namespace warpbook::gpu
