// Clang: the second compiler of CUDA C++: clang with its NVPTX back end. Every distribution has it, and it needs nothing from
// NVIDIA.
//
//     std::optional<Clang> clang = find_clang();
//     if (clang) run(clang->words(request, 75, {"/tmp/x/include"}, "/tmp/x/kernel.ptx"));
//     std::string log = clang_as_nvrtc_writes(log_of_clang, text_of_file);        // for compiler_log.h
//
// CUDA's built-in functions and mathematics come from Warpbook's own headers (headers.h). clang parses whole programs with their
// host code. It does not report registers, because only NVIDIA's assembler allocates them.
//
// Only the compiler's child process runs it (clang_child.cpp), confined to what reach() lists.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"

namespace warpbook::gpu {

struct Clang {
  std::string path;       // the program's path, with links followed
  std::string resources;  // the folder of clang's own headers; empty: not found

  /// Where the command finds Warpbook's headers.
  struct Headers {
    std::string folder;
    std::string precompiled = {};  // the same, as one file that precompile_words() has made; empty: they are read from the folder
  };
  /// The command that compiles a request to PTX.
  [[nodiscard]] std::vector<std::string> words(const CompileRequest& request, int architecture, const Headers& headers,
                                               const std::string& output) const;
  /// The command that precompiles the headers for requests with these options. `request`: a file that is empty.
  [[nodiscard]] std::vector<std::string> precompile_words(const CompileRequest& request, int architecture, const Headers& headers,
                                                          const std::string& output) const;
  /// The files that it needs, except its scratch folder, which the caller adds.
  [[nodiscard]] ProgramsReach reach() const;
};

/// Looks for clang-19, then 20, 18, 17 and 16, then for a plain clang of version 16 or later, in the folders that distributions
/// use. Empty: there is none.
[[nodiscard]] std::optional<Clang> find_clang();

/// A sentence that says what to install.
[[nodiscard]] std::string clang_advice();

/// Parses `clang --version`: "19.1". Empty: no version was found.
[[nodiscard]] std::string clang_version_in(std::string_view told);
/// Parses `clang --print-supported-cpus --target=nvptx64-nvidia-cuda`: 50, 52 … 90, ascending.
[[nodiscard]] std::vector<int> clang_architectures_in(std::string_view listed);

/// The oldest PTX version that supports all features of an architecture, as clang's target feature: "ptx63" for 75.
[[nodiscard]] std::string_view ptx_feature(int architecture);

/// Options for compiling a kernel to PTX. `debug`: without optimization, for stepping; `lines`: with the lines of the source.
[[nodiscard]] std::vector<std::string> clang_kernel_options(int architecture, bool debug, bool lines);

/// Rewrites clang's messages into NVRTC's form: "k.cu:3:8: error: text" with the source line and a caret, the chain of
/// instantiations that led to an error in a template, and NVRTC's wording where other code depends on it. `text_of`: a file's text,
/// by its name.
[[nodiscard]] std::string clang_as_nvrtc_writes(std::string_view log,
                                                const std::function<std::string_view(std::string_view)>& text_of);

/// The text with `_Alignas`, C's word, for each alignas that stands behind __shared__ or its like: there clang takes no alignas,
/// and nvcc does.
[[nodiscard]] std::string with_alignment_anywhere(const std::string& text);

/// The main loop of the child process. It never returns (compiler_child.cpp).
[[noreturn]] void serve_clang(FileConfinement files);

}  // namespace warpbook::gpu
