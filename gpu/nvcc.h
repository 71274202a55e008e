// Nvcc: the toolkit's own compiler as a program on this machine: where it lies, how it is asked, what it wrote.
//
//     std::optional<Nvcc> nvcc = find_nvcc();
//     if (nvcc) run(nvcc->words({.name = "add.cu", …}, 75, "kernel.ptx"));
//     std::string log = as_nvrtc_writes(log_of_nvcc, text_of_file);       // for compiler_log.h
//
// Looked for in CUDA_PATH, CUDA_HOME, /usr/local/cuda, and where Debian puts it. It is run by the compiler's child process alone
// (nvcc_child.cpp), which lets it reach what reach() says and nothing else.
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
  std::string path;     // of the program, its links followed
  std::string toolkit;  // the folder that holds bin/, nvvm/ and the headers

  /// The command that compiles a request's file to PTX; `standard`: "" for nvcc's own, or "c++20".
  [[nodiscard]] std::vector<std::string> words(const CompileRequest& request, int architecture, const std::string& output,
                                               const std::string& standard) const;
  /// The command with which the toolkit's assembler tells a kernel's registers.
  [[nodiscard]] std::vector<std::string> assembler_words(int architecture, const std::string& ptx, const std::string& output) const;
  /// What it must reach; its scratch folder is left to whoever runs it.
  [[nodiscard]] ProgramsReach reach() const;
  /// Its folders of headers, longest first, which no learner is to read.
  [[nodiscard]] std::vector<std::string> header_folders() const;
};

/// Nothing: this machine has none, or no gcc for it to preprocess with.
[[nodiscard]] std::optional<Nvcc> find_nvcc();

/// Of `nvcc --list-gpu-arch`: 75, 80 …
[[nodiscard]] std::vector<int> architectures_in(std::string_view listed);
/// Of `nvcc --version`: "13.0"
[[nodiscard]] std::string version_in(std::string_view told);

/// What the preprocessor wrote becomes what NVRTC writes, "add.cu:3:10: fatal error: x.h: No such file …" too. nvcc shows its lines
/// with macros replaced: the carets are moved to where their words stand in the source. `text_of`: a file's text, by its name.
[[nodiscard]] std::string as_nvrtc_writes(std::string_view log, const std::function<std::string_view(std::string_view)>& text_of);

/// Whether a source uses words of C++20, which nvcc takes only when it is told.
[[nodiscard]] bool wants_newer_standard(std::string_view text);

/// The child's side: never returns (compiler_child.cpp).
[[noreturn]] void serve_nvcc(FileConfinement files);

}  // namespace warpbook::gpu
